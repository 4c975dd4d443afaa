import { baseUriDecorator } from './decorators/base-uri.ts';
import { captureDecorator } from './decorators/capture.ts';
import { timerDecorator } from './decorators/timer.ts';
import { tracingDecorator } from './decorators/tracing.ts';
import { allowOnlyFilter } from './filters/allow-only.ts';
import { assignmentFilter } from './filters/assignment.ts';
import { chainOfFilters } from './filters/chain-of-filters.ts';
import { conditionEnforcementFilter } from './filters/condition-enforcement.ts';
import { conditionalFilter } from './filters/conditional.ts';
import { cookieFilter } from './filters/cookie.ts';
import { corsFilter } from './filters/cors.ts';
import { csrfFilter } from './filters/csrf.ts';
import { dateHeaderFilter } from './filters/date-header.ts';
import { entityExtractFilter } from './filters/entity-extract.ts';
import { forwardedRequestFilter } from './filters/forwarded-request.ts';
import { fragmentFilter } from './filters/fragment.ts';
import { headerFilter } from './filters/header.ts';
import { locationHeaderFilter } from './filters/location-header.ts';
import { setCookieUpdateFilter } from './filters/set-cookie-update.ts';
import { staticRequestFilter } from './filters/static-request.ts';
import { switchFilter } from './filters/switch.ts';
import { transactionIdOutboundFilter } from './filters/transaction-id-outbound.ts';
import { uriPathRewriteFilter } from './filters/uri-path-rewrite.ts';
import { chain } from './handlers/chain.ts';
import { clientHandler } from './handlers/client.ts';
import { delegate } from './handlers/delegate.ts';
import { dispatchHandler } from './handlers/dispatch.ts';
import { resourceHandler } from './handlers/resource.ts';
import { reverseProxyHandler } from './handlers/reverse-proxy.ts';
import { router } from './handlers/router.ts';
import { sequenceHandler } from './handlers/sequence.ts';
import { staticResponseHandler } from './handlers/static-response.ts';
import { welcomeHandler } from './handlers/welcome.ts';
import { TypeCatalogue } from './heap/type-catalogue.ts';
import { clock } from './services/clock.ts';
import { scheduledExecutorService } from './services/scheduled-executor-service.ts';
import { temporaryStorage } from './services/temporary-storage.ts';
import { unavailableTypes } from './unavailable-types.ts';

/** Every type of object that a document can declare. */
export const catalogue = new TypeCatalogue(
  [
    // handlers
    chain,
    clientHandler,
    delegate,
    dispatchHandler,
    resourceHandler,
    reverseProxyHandler,
    router,
    sequenceHandler,
    staticResponseHandler,
    welcomeHandler,
    // filters
    allowOnlyFilter,
    assignmentFilter,
    chainOfFilters,
    conditionEnforcementFilter,
    conditionalFilter,
    cookieFilter,
    corsFilter,
    csrfFilter,
    dateHeaderFilter,
    entityExtractFilter,
    forwardedRequestFilter,
    fragmentFilter,
    headerFilter,
    locationHeaderFilter,
    setCookieUpdateFilter,
    staticRequestFilter,
    switchFilter,
    transactionIdOutboundFilter,
    uriPathRewriteFilter,
    // services
    clock,
    scheduledExecutorService,
    temporaryStorage,
    // decorators
    baseUriDecorator,
    captureDecorator,
    timerDecorator,
    tracingDecorator,
  ],
  unavailableTypes,
);
