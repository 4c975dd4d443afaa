/**
 * Why the engine itself answers instead of the chain. The keys are stable: they are in the access log, in the metrics
 * and in docs/errors.md, which a test binds to this list.
 */
export const refusals = {
  'request-line': { status: 400, reason: 'the request line is malformed' },
  version: { status: 505, reason: 'the HTTP version is not supported' },
  'version-syntax': { status: 400, reason: 'the HTTP version is malformed' },
  method: { status: 400, reason: 'the method is malformed' },
  connect: { status: 405, reason: 'CONNECT is not served here' },
  target: { status: 400, reason: 'the request target is malformed or not of a form this method may have' },
  'target-ambiguous': { status: 400, reason: 'the path can be read in more than one way' },
  'target-foreign': { status: 400, reason: 'the target names another host than the Host header' },
  'target-too-long': { status: 414, reason: 'the request target is too long' },
  'header-line': { status: 400, reason: 'a header line is malformed' },
  'header-underscore': { status: 400, reason: 'a header name holds an underscore' },
  'headers-too-large': { status: 431, reason: 'the header lines are too large' },
  'headers-too-many': { status: 431, reason: 'there are too many header lines' },
  host: { status: 400, reason: 'the Host header is malformed or not alone' },
  framing: { status: 400, reason: 'the length of the message is ambiguous' },
  'transfer-coding': { status: 400, reason: 'the transfer coding is not plainly chunked' },
  chunk: { status: 400, reason: 'the chunked body is malformed' },
  expectation: { status: 417, reason: 'the expectation is not known' },
  'body-too-large': { status: 413, reason: 'the request body is too large' },
  incomplete: { status: 400, reason: 'the request ended before it was complete' },
  'head-timeout': { status: 408, reason: 'the request head took too long' },
  'body-timeout': { status: 408, reason: 'the request body came too slowly' },
  'request-timeout': { status: 503, reason: 'the request was not answered in time' },
  'proxy-header': { status: 400, reason: 'the PROXY protocol header is malformed or not allowed from here' },
  internal: { status: 500, reason: 'the gateway failed' },
  cancelled: { status: 499, reason: 'the client left, or had its answer, before the backend answered' },
  'no-answer': { status: 404, reason: 'nothing serves this request' },
  'not-ready': { status: 503, reason: 'the gateway has no configuration yet' },
  'route-unsound': { status: 500, reason: 'the route for this request has errors in its configuration' },
  loop: { status: 508, reason: 'the request has come through the gateway too many times' },
  'backend-unnamed': { status: 502, reason: 'the request names no backend: it has no Host header and no baseURI' },
  'backend-scheme': { status: 502, reason: 'the scheme of the backend is not one that the gateway speaks' },
  'backend-limit': { status: 503, reason: 'the gateway speaks with too many backends already' },
  'backend-address': { status: 502, reason: 'the address of the backend cannot be resolved' },
  'backend-egress': { status: 403, reason: 'the backend may not be reached from here' },
  'backend-connect': { status: 502, reason: 'the backend cannot be reached' },
  'backend-connect-timeout': { status: 502, reason: 'the backend did not accept the connection in time' },
  'backend-queue-full': { status: 503, reason: 'too many requests wait for the backend' },
  'backend-queue-timeout': { status: 503, reason: 'no connection to the backend became free in time' },
  'backend-closed': { status: 502, reason: 'the backend closed the connection before it answered' },
  'backend-timeout': { status: 504, reason: 'the backend did not answer in time' },
  'backend-malformed': { status: 502, reason: 'the answer of the backend is malformed' },
  'backend-head-too-large': { status: 502, reason: 'the head of the backend answer is too large' },
  'backend-body-too-large': { status: 502, reason: 'the answer of the backend is too large to be read as a whole' },
  'backend-upgrade': { status: 502, reason: 'the backend switched protocols without being asked' },
} as const;

/** A reason for which the engine answers by itself. */
export type Refusal = keyof typeof refusals;

/** All of them, in a fixed order: what the metrics count by. */
export const refusalNames = Object.keys(refusals) as Refusal[];
