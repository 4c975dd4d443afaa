/** Advices by name, as a decision has them. */
export type Advices = Readonly<Record<string, readonly string[]>>;

/** Advices that a user can follow at the login page of the access manager. */
const FOLLOWED = [
  'AuthLevelConditionAdvice',
  'AuthSchemeConditionAdvice',
  'AuthenticateToRealmConditionAdvice',
  'AuthenticateToServiceConditionAdvice',
  'AuthenticateToTreeConditionAdvice',
  'TransactionConditionAdvice',
];
export const TRANSACTION_ADVICE = 'TransactionConditionAdvice';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
/** Characters that XML 1.0 cannot carry in any spelling. */
const UNWRITABLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The advices that a user can follow, or null where there are none or one of them has no form in XML. */
export function followedAdvices(advices: Advices): Advices | null {
  const found = FOLLOWED.filter((name) => Object.hasOwn(advices, name) && advices[name]!.length > 0);
  if (found.length === 0 || found.some((name) => advices[name]!.some((value) => UNWRITABLE.test(value)))) return null;
  return Object.fromEntries(found.map((name) => [name, advices[name]!]));
}

/** Writes advices as the login page of the access manager takes them in one parameter. */
export function compositeAdvice(advices: Advices): string {
  const pairs = Object.entries(advices).map(([name, values]) => {
    const written = values.map((value) => `<Value>${escaped(value)}</Value>`).join('');
    return `<AttributeValuePair><Attribute name="${escaped(name)}"/>${written}</AttributeValuePair>`;
  });
  return `<Advices>${pairs.join('')}</Advices>`;
}

/** Writes advices as a challenge for clients that are no browsers. */
export function adviceChallenge(advices: Advices, realm: string, amUrl: string): string {
  const json = Buffer.from(JSON.stringify(advices), 'utf8').toString('base64');
  return `SSOADVICE realm="${quotable(realm)}",advices="${json}",am_uri="${quotable(amUrl)}/"`;
}

/** Where the user follows advices. */
export interface AdvicePage {
  /** The login page, absolute. */
  readonly page: string;
  readonly realm: string;
  /** Where the access manager sends the user afterwards. */
  readonly goto: string;
  /** Whether the access manager reads advices in base64url. */
  readonly isEncoded: boolean;
}

/** The URL to send a browser to, so that its user can follow advices. */
export function adviceLocation(advices: Advices, { page, realm, goto, isEncoded }: AdvicePage): string {
  const xml = compositeAdvice(advices);
  const url = new URL(page);
  // a sign-in without advices may have been prepared in the page's address
  const others = url.search
    .slice(1)
    .split('&')
    .filter((one) => one !== '' && !/^(?:goto|authIndexType|authIndexValue)=/.test(one));
  const hasRealm = others.some((one) => one.startsWith('realm='));
  const parameters = [
    `goto=${encodeURIComponent(goto)}`,
    ...(hasRealm ? [] : [`realm=${encodeURIComponent(realm)}`]),
    ...others,
    'authIndexType=composite_advice',
    `authIndexValue=${isEncoded ? Buffer.from(xml, 'utf8').toString('base64url') : encodeURIComponent(xml)}`,
  ];
  url.search = parameters.join('&');
  return url.href;
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** A text for a quoted string of a header: characters beyond ASCII are percent-encoded. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, encodeURIComponent).replace(/["\\]/g, '\\$&');
}
