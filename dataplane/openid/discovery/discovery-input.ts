/** What a user typed in to say where to sign in. */
export interface DiscoveryInput {
  /** Host name, for `supportedDomains`. */
  readonly domain: string;
  /** The resource that WebFinger is asked about (OpenID Connect Discovery, section 2.1). */
  readonly resource: string;
  /** Origin of the server that is asked. */
  readonly origin: string;
  /** The URL of the issuer where WebFinger names none. */
  readonly issuer: string;
}

const LONGEST = 512;

/** Reads `ada@example.com`, `acct:ada@example.com`, `example.com` or a URL; null for anything else. */
export function readDiscoveryInput(text: string): DiscoveryInput | null {
  const input = text.trim();
  if (input === '' || input.length > LONGEST || !/^[\x21-\x7e]+$/.test(input)) return null;
  if (/^https?:\/\//i.test(input)) return fromUrl(input);
  const account = input.replace(/^acct:/i, '');
  const at = account.lastIndexOf('@');
  const host = account.slice(at + 1);
  if (at === 0 || !/^[\w.-]+(?::\d{1,5})?$/.test(host) || !URL.canParse(`https://${host}`)) return null;
  const { hostname, origin } = new URL(`https://${host}`);
  return { domain: hostname, origin, issuer: origin, resource: at < 0 ? `${origin}/` : `acct:${account}` };
}

function fromUrl(input: string): DiscoveryInput | null {
  const parsed = URL.parse(input);
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || /[?#]/.test(input)) return null;
  const { hostname, origin, pathname } = parsed;
  return { domain: hostname, origin, issuer: pathname === '/' ? origin : input, resource: parsed.href };
}
