/** Properties that scripts see of contexts that every exchange has, beside `secure` and `external` of the client. */
export const CLIENT_PROPERTIES = [
  'remoteAddress',
  'remotePort',
  'localAddress',
  'localPort',
  'remoteUser',
  'userAgent',
  'certificates',
] as const;
export const ROUTER_PROPERTIES = [
  'originalUri',
  'baseUri',
  'matchedUri',
  'remainingUri',
  'uriTemplateVariables',
] as const;
