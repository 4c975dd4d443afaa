import { policyEnforcementFilter } from '../access-manager/policies/policy-enforcement.ts';
import { requestResourceUriProvider } from '../access-manager/policies/request-resource-uri-provider.ts';
import { userProfileFilter } from '../access-manager/profiles/user-profile.ts';
import { userProfileService } from '../access-manager/profiles/user-profile-service.ts';
import { amService } from '../access-manager/service/am-service.ts';
import { amSessionIdleTimeoutFilter } from '../access-manager/sign-on/am-session-idle-timeout.ts';
import { crossDomainSingleSignOnFilter } from '../access-manager/sign-on/cross-domain-single-sign-on.ts';
import { sessionInfoFilter } from '../access-manager/sign-on/session-info.ts';
import { singleSignOnFilter } from '../access-manager/sign-on/single-sign-on.ts';
import { auditService } from '../audit/service/audit-service.ts';
import { noOpAuditService } from '../audit/service/no-op-audit-service.ts';
import { baseUriDecorator } from '../decorators/base-uri.ts';
import { captureDecorator } from '../decorators/capture.ts';
import { timerDecorator } from '../decorators/timer.ts';
import { tracingDecorator } from '../decorators/tracing.ts';
import { allowOnlyFilter } from '../filters/allow-only.ts';
import { assignmentFilter } from '../filters/assignment.ts';
import { auditFilter } from '../filters/audit.ts';
import { captureFilter } from '../filters/capture.ts';
import { certificateThumbprintFilter } from '../filters/certificate-thumbprint.ts';
import { chainOfFilters } from '../filters/chain-of-filters.ts';
import { circuitBreakerFilter } from '../filters/circuit-breaker.ts';
import { conditionEnforcementFilter } from '../filters/condition-enforcement.ts';
import { conditionalFilter } from '../filters/conditional.ts';
import { cookieFilter } from '../filters/cookies/cookie.ts';
import { csrfFilter } from '../filters/cookies/csrf.ts';
import { fragmentFilter } from '../filters/cookies/fragment.ts';
import { setCookieUpdateFilter } from '../filters/cookies/set-cookie-update.ts';
import { fileAttributesFilter } from '../filters/credentials/file-attributes.ts';
import { httpBasicAuthFilter } from '../filters/credentials/http-basic-auth.ts';
import { passwordReplayFilter } from '../filters/credentials/password-replay.ts';
import { dateHeaderFilter } from '../filters/date-header.ts';
import { entityExtractFilter } from '../filters/entity-extract.ts';
import { forwardedRequestFilter } from '../filters/forwarded-request.ts';
import { headerFilter } from '../filters/header.ts';
import { idTokenValidationFilter } from '../filters/jwt/id-token-validation.ts';
import { jwtBuilderFilter } from '../filters/jwt/jwt-builder.ts';
import { jwtValidationFilter } from '../filters/jwt/jwt-validation.ts';
import { locationHeaderFilter } from '../filters/location-header.ts';
import { mirrorFilter } from '../filters/mirror/mirror.ts';
import { corsFilter } from '../filters/origin/cors.ts';
import { staticRequestFilter } from '../filters/static-request.ts';
import { switchFilter } from '../filters/switch.ts';
import { transactionIdOutboundFilter } from '../filters/transaction-id-outbound.ts';
import { uriPathRewriteFilter } from '../filters/uri-path-rewrite.ts';
import { chain } from '../handlers/chain.ts';
import { clientHandler } from '../handlers/client.ts';
import { delegate } from '../handlers/delegate.ts';
import { dispatchHandler } from '../handlers/dispatch.ts';
import { jwkSetHandler } from '../handlers/jwk-set.ts';
import { resourceHandler } from '../handlers/resource.ts';
import { reverseProxyHandler } from '../handlers/reverse-proxy.ts';
import { router } from '../handlers/router.ts';
import { sequenceHandler } from '../handlers/sequence.ts';
import { splitHandler } from '../handlers/split.ts';
import { staticResponseHandler } from '../handlers/static-response.ts';
import { welcomeHandler } from '../handlers/welcome.ts';
import { TypeCatalogue } from '../heap/type-catalogue.ts';
import { cacheAccessTokenResolver } from '../oauth2/cache/cache-access-token-resolver.ts';
import { clientCredentialsOAuth2ClientFilter } from '../oauth2/client/client-credentials-oauth2-client.ts';
import { clientSecretBasicAuthenticationFilter } from '../oauth2/client/client-secret-basic-authentication.ts';
import { clientSecretPostAuthenticationFilter } from '../oauth2/client/client-secret-post-authentication.ts';
import { encryptedPrivateKeyJwtClientAuthenticationFilter } from '../oauth2/client/encrypted-private-key-jwt-client-authentication.ts';
import { httpBasicAuthenticationClientFilter } from '../oauth2/client/http-basic-authentication-client.ts';
import { oauth2TokenExchangeFilter } from '../oauth2/client/oauth2-token-exchange.ts';
import { privateKeyJwtClientAuthenticationFilter } from '../oauth2/client/private-key-jwt-client-authentication.ts';
import { resourceOwnerOAuth2ClientFilter } from '../oauth2/client/resource-owner-oauth2-client.ts';
import { confirmationKeyVerifierAccessTokenResolver } from '../oauth2/confirmation-key-verifier-access-token-resolver.ts';
import { oauth2ResourceServerFilter } from '../oauth2/oauth2-resource-server.ts';
import { clientRegistration } from '../oauth2/registration/client-registration.ts';
import { issuer } from '../oauth2/registration/issuer.ts';
import { statelessAccessTokenResolver } from '../oauth2/stateless-access-token-resolver.ts';
import { tokenIntrospectionAccessTokenResolver } from '../oauth2/token-introspection-access-token-resolver.ts';
import { authorizationCodeOAuth2ClientFilter } from '../openid/client/authorization-code-oauth2-client.ts';
import { scriptableAccessTokenResolver } from '../scripts/scriptable-access-token-resolver.ts';
import { scriptableFilter } from '../scripts/scriptable-filter.ts';
import { scriptableHandler } from '../scripts/scriptable-handler.ts';
import { scriptableJwtValidatorCustomizer } from '../scripts/scriptable-jwt-validator-customizer.ts';
import { scriptableResourceAccess } from '../scripts/scriptable-resource-access.ts';
import { scriptableResourceUriProvider } from '../scripts/scriptable-resource-uri-provider.ts';
import { scriptableThrottlingPolicy } from '../scripts/scriptable-throttling-policy.ts';
import { base64EncodedSecretStore } from '../secrets/base64-encoded-secret-store.ts';
import { fileSystemSecretStore } from '../secrets/file-system-secret-store.ts';
import { jwkPropertyFormat } from '../secrets/jwk-property-format.ts';
import { jwkSetSecretStore } from '../secrets/jwk-set-secret-store.ts';
import { keyStoreSecretStore } from '../secrets/key-store-secret-store.ts';
import { pemPropertyFormat } from '../secrets/pem-property-format.ts';
import { secretKeyPropertyFormat } from '../secrets/secret-key-property-format.ts';
import { secretsKeyManager } from '../secrets/secrets-key-manager.ts';
import { secretsProvider } from '../secrets/secrets-provider.ts';
import { secretsTrustManager } from '../secrets/secrets-trust-manager.ts';
import { systemAndEnvSecretStore } from '../secrets/system-and-env-secret-store.ts';
import { trustAllManager } from '../secrets/trust-all-manager.ts';
import { backends } from '../services/backends.ts';
import { clock } from '../services/clock.ts';
import { customProxyOptions } from '../services/custom-proxy-options.ts';
import { noProxyOptions } from '../services/no-proxy-options.ts';
import { scheduledExecutorService } from '../services/scheduled-executor-service.ts';
import { systemProxyOptions } from '../services/system-proxy-options.ts';
import { temporaryStorage } from '../services/temporary-storage.ts';
import { authenticatedEncryptedJwtSessionManager } from '../sessions/authenticated-encrypted-jwt-session-manager.ts';
import { inMemorySessionManager } from '../sessions/in-memory-session-manager.ts';
import { defaultRateThrottlingPolicy } from '../throttling/default-rate-throttling-policy.ts';
import { mappedThrottlingPolicy } from '../throttling/mapped-throttling-policy.ts';
import { throttlingFilter } from '../throttling/throttling.ts';
import { clientTlsOptions } from '../tls/options/client-tls-options.ts';
import { serverTlsOptions } from '../tls/options/server-tls-options.ts';
import { tlsOptions } from '../tls/options/tls-options.ts';
import { availableInstead, relics, unavailableTypes } from './unavailable-types.ts';

/** Every type of object that a document can declare. */
export const catalogue = new TypeCatalogue(
  [
    // handlers
    chain,
    clientHandler,
    delegate,
    dispatchHandler,
    jwkSetHandler,
    resourceHandler,
    reverseProxyHandler,
    router,
    scriptableHandler,
    sequenceHandler,
    splitHandler,
    staticResponseHandler,
    welcomeHandler,
    // filters
    allowOnlyFilter,
    amSessionIdleTimeoutFilter,
    assignmentFilter,
    authorizationCodeOAuth2ClientFilter,
    certificateThumbprintFilter,
    chainOfFilters,
    circuitBreakerFilter,
    clientCredentialsOAuth2ClientFilter,
    clientSecretBasicAuthenticationFilter,
    clientSecretPostAuthenticationFilter,
    conditionEnforcementFilter,
    conditionalFilter,
    cookieFilter,
    corsFilter,
    crossDomainSingleSignOnFilter,
    csrfFilter,
    auditFilter,
    captureFilter,
    dateHeaderFilter,
    encryptedPrivateKeyJwtClientAuthenticationFilter,
    entityExtractFilter,
    fileAttributesFilter,
    forwardedRequestFilter,
    fragmentFilter,
    headerFilter,
    httpBasicAuthFilter,
    httpBasicAuthenticationClientFilter,
    idTokenValidationFilter,
    jwtBuilderFilter,
    jwtValidationFilter,
    locationHeaderFilter,
    mirrorFilter,
    oauth2ResourceServerFilter,
    oauth2TokenExchangeFilter,
    passwordReplayFilter,
    policyEnforcementFilter,
    privateKeyJwtClientAuthenticationFilter,
    resourceOwnerOAuth2ClientFilter,
    scriptableFilter,
    sessionInfoFilter,
    setCookieUpdateFilter,
    singleSignOnFilter,
    staticRequestFilter,
    switchFilter,
    throttlingFilter,
    transactionIdOutboundFilter,
    uriPathRewriteFilter,
    userProfileFilter,
    // access tokens
    cacheAccessTokenResolver,
    confirmationKeyVerifierAccessTokenResolver,
    scriptableAccessTokenResolver,
    scriptableJwtValidatorCustomizer,
    scriptableResourceAccess,
    statelessAccessTokenResolver,
    tokenIntrospectionAccessTokenResolver,
    // clients of issuers
    clientRegistration,
    issuer,
    // sessions
    authenticatedEncryptedJwtSessionManager,
    inMemorySessionManager,
    // services
    amService,
    auditService,
    noOpAuditService,
    backends,
    clock,
    customProxyOptions,
    noProxyOptions,
    requestResourceUriProvider,
    scheduledExecutorService,
    scriptableResourceUriProvider,
    systemProxyOptions,
    temporaryStorage,
    userProfileService,
    // secrets
    base64EncodedSecretStore,
    fileSystemSecretStore,
    jwkPropertyFormat,
    jwkSetSecretStore,
    keyStoreSecretStore,
    pemPropertyFormat,
    secretKeyPropertyFormat,
    secretsKeyManager,
    secretsProvider,
    secretsTrustManager,
    systemAndEnvSecretStore,
    trustAllManager,
    // throttling
    defaultRateThrottlingPolicy,
    mappedThrottlingPolicy,
    scriptableThrottlingPolicy,
    // TLS
    clientTlsOptions,
    serverTlsOptions,
    tlsOptions,
    // decorators
    baseUriDecorator,
    captureDecorator,
    timerDecorator,
    tracingDecorator,
  ],
  unavailableTypes,
  availableInstead,
  relics,
);
