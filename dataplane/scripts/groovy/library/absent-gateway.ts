/** Methods of OpenIG's classes that are not available here; found by asking the classes for all of them. */
export const ABSENT_GATEWAY_METHODS: Readonly<
  Record<string, { readonly methods?: string; readonly statics?: string }>
> = {
  'org.forgerock.http.header.ContentEncodingHeader': { methods: 'decode' },
  'org.forgerock.http.header.ContentTypeHeader': { methods: 'getAdditionalParameters' },
  'org.forgerock.http.io.ByteArrayBranchingStream': { methods: 'branch closeBranches copy parent' },
  'org.forgerock.http.protocol.Cookie': {
    methods: 'setComment getComment setSameSite getSameSite getCommentURL getDiscard setCommentURL setDiscard',
  },
  'org.forgerock.http.protocol.Entity': { methods: 'copyDecodedContentTo copyRawContentTo' },
  'org.forgerock.http.protocol.Response': { statics: 'newResponsePromiseImpl' },
  'org.forgerock.http.routing.UriRouterContext': { statics: 'uriRouterContext' },
  'org.forgerock.http.session.SessionContext': { methods: 'setSession' },
  'org.forgerock.http.util.Uris': { statics: 'create rebase createNonStrict withQuery withoutQueryAndFragment' },
  'org.forgerock.json.JsonPointer': { methods: 'parent get isEmpty size toArray iterator child leaf relativePointer' },
  'org.forgerock.json.JsonValue': {
    methods: 'diff patch addPermissive asBigDecimal asEnum asMapOfList putPermissive setObject',
    statics: 'toIndex',
  },
  'org.forgerock.json.jose.jws.JwsHeader': {
    methods:
      'getCompressionAlgorithm getContentType setParameter setJwkSetUrl getJwkSetUrl setJsonWebKey getJsonWebKey setX509Url getX509Url setX509CertificateThumbprint getX509CertificateThumbprint setX509CertificateChain getX509CertificateChain setKeyId setContentType setCriticalHeaders getCriticalHeaders setCompressionAlgorithm getParameters build setParameters setType setAlgorithm get put keys isDefined',
  },
  'org.forgerock.json.jose.jws.SignedJwt': { methods: 'build verify' },
  'org.forgerock.json.jose.jwt.JwtClaimsSet': {
    methods:
      'setExpirationTime setJwtId setIssuer setSubject addAudience setIssuedAtTime setNotBeforeTime setType setClaim setClaims put',
  },
  'org.forgerock.services.context.ClientContext': {
    statics: 'buildExternalClientContext newInternalClientContext',
  },
  'org.forgerock.util.time.Duration': { methods: 'compareTo to convertTo getUnit' },
  'org.slf4j.Logger': {
    methods: 'makeLoggingEventBuilder isEnabledForLevel atLevel atTrace atDebug atInfo atWarn atError',
  },
};

/** Overloads and constants of them; a static method begins with a colon, a constructor has no name. */
export const ABSENT_GATEWAY_SIGNATURES: Readonly<Record<string, string>> = {
  'org.forgerock.http.MutableUri': '(String,String,String,int,String,String,String)',
  'org.forgerock.http.header.ConnectionHeader': '(List)',
  'org.forgerock.http.header.ContentEncodingHeader': '(List)',
  'org.forgerock.http.header.ContentTypeHeader': '(String,String,String,Map) (String,String,String)',
  'org.forgerock.http.header.SetCookieHeader': ':valueOf(List)',
  'org.forgerock.http.protocol.Status': 'UNUSED',
  'org.forgerock.http.protocol.Status$Family': ':valueOf(int)',
  'org.forgerock.json.JsonPointer': '(Iterable) (String...)',
  'org.forgerock.json.JsonValue':
    'add(int,Object) add(org.forgerock.json.JsonPointer,Object) remove(org.forgerock.json.JsonPointer) remove(int) put(org.forgerock.json.JsonPointer,Object) :object(int) asCollection(Class) asSet(Class) (Object,org.forgerock.json.JsonPointer)',
  'org.forgerock.json.jose.jws.JwsHeader': 'getParameter(String,Class)',
  'org.forgerock.json.jose.jwt.JwtClaimsSet': 'getClaim(String,Class)',
  'org.forgerock.util.time.Duration': ':duration(long,java.util.concurrent.TimeUnit) UNLIMITED ZERO',
  'org.slf4j.Logger': 'ROOT_LOGGER_NAME',
};
