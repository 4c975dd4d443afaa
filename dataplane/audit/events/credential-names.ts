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
  'code',
  'state',
  'nonce',
  'ticket',
  'goto',
  'gotoonfail',
  'request',
  'assertion',
  'samlresponse',
  'samlrequest',
  'samlart',
  'relaystate',
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
  'location',
  'contentlocation',
  'referer',
  'refresh',
  'link',
  'xclientcert',
  'xsslclientcert',
  'clientcert',
  'xforwardedclientcert',
  'sslclientcert',
]);
/** Names that contain one of these, letters and digits only. */
const WITHIN =
  /token|secret|passw|passphrase|passcode|credential|signature|apikey|accesskey|privatekey|session|sessid|assertion|codeverifier|devicecode|usercode|cookie|authorization|jwt|otpcode|csrf|xsrf/;

/** Whether a name usually carries a credential, whatever its case and separators. */
export function isCredentialName(name: string): boolean {
  const folded = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return folded === '' || ALONE.has(folded) || WITHIN.test(folded);
}
