/**
 * Names of headers, cookies and parameters that usually carry credentials: each of them alone, or with a prefix such as
 * `x-auth-`. They are recorded only where a policy names them one by one.
 */
const ALONE: ReadonlySet<string> = new Set([
  'authorization',
  'authentication',
  'proxyauthorization',
  'cookie',
  'cookie2',
  'setcookie',
  'setcookie2',
  'wwwauthenticate',
  'proxyauthenticate',
  'authenticationinfo',
  'dpop',
  'assertion',
  'logintokenhint',
  'idtokenhint',
  'key',
  'sig',
  'sid',
  'auth',
  'pin',
  'otp',
  'totp',
  'pwd',
  'pass',
  'jwt',
  'bearer',
  'secwebsocketprotocol',
  'secwebsocketkey',
  'xclientcert',
  'xsslclientcert',
  'clientcert',
  'xforwardedclientcert',
  'sslclientcert',
]);
/** Names that carry credentials in requests and responses, and plain values in documents, such as `goto`. */
const IN_TRAFFIC: ReadonlySet<string> = new Set([
  'code',
  'state',
  'nonce',
  'ticket',
  'goto',
  'gotoonfail',
  'request',
  'samlresponse',
  'samlrequest',
  'samlart',
  'relaystate',
  'location',
  'contentlocation',
  'referer',
  'refresh',
  'link',
]);
/** Names that contain one of these, letters and digits only. */
const WITHIN =
  /token|secret|passw|passphrase|passcode|credential|signature|apikey|accesskey|privatekey|session|sessid|assertion|codeverifier|devicecode|usercode|cookie|authorization|jwt|otpcode|csrf|xsrf/;

/** True for names that usually carry a credential in a request or a response, whatever their case and separators. */
export function isCredentialName(name: string): boolean {
  const plain = folded(name);
  return plain === '' || IN_TRAFFIC.has(plain) || isCredential(plain);
}

/** The same for the name of a parameter in a URL that a document has. */
export function isWrittenCredentialName(name: string): boolean {
  return isCredential(folded(name));
}

function isCredential(plain: string): boolean {
  return ALONE.has(plain) || WITHIN.test(plain);
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
