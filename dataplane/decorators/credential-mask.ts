import type { Pattern } from '../../contract/pattern/pattern.ts';
import { percentDecoded } from '../../contract/percent-decoded.ts';

/** Names of headers, parameters and members that hold credentials, in any case. Masking too much is the lesser harm. */
const CREDENTIAL =
  /authorization|cookie|token|secret|pass(?:w|phrase|$|[-_.])|pwd|ticket|credential|assertion|session|signature|saml|jwt|^iplanetdirectorypro$|^(?:cd)?sso|key$|(?:^|[-_.])(?:key|otp|pin|sid|sig|auth)(?:$|[-_.])/i;

/** Where the second part of a session token of an access manager begins, in each of its spellings. */
const MANAGED_SESSION = /(?:[*@]|%2A|%40)AAJT/i;

/** The name of an authorization code, which elsewhere is a harmless word. */
const CODE_PARAMETER = 'code';

/** Further names to mask, in addition to the built-in ones. */
export interface MaskOptions {
  /** Names of headers. */
  readonly headers: readonly Pattern[];
  /** Names of parameters, members of entities and contexts. */
  readonly names: readonly Pattern[];
  /** What is shown instead. */
  readonly mask: string;
}

/** Takes credentials out of what is about to be logged. What it cannot tell from a credential it takes for one. */
export class CredentialMask {
  readonly mask: string;
  private readonly headerNames: readonly Pattern[];
  private readonly names: readonly Pattern[];

  constructor({ headers, names, mask }: MaskOptions) {
    this.headerNames = headers;
    this.names = names;
    this.mask = mask;
  }

  /** The value of a header, of which nothing is left when its name is that of a credential. */
  header(name: string, value: string): string {
    return CREDENTIAL.test(name) || fits(this.headerNames, name) ? this.mask : this.text(value);
  }

  /** Whether what has this name is never shown. */
  hides(name: string): boolean {
    return CREDENTIAL.test(name) || fits(this.names, name);
  }

  /** A URI, or any text with parameters in it: credentials among them, passwords of users and tokens are masked. */
  text(text: string): string {
    return text
      .replace(/(:\/\/[^/?#\s@:]*):[^/?#\s@]*@/g, `$1:${this.mask.replaceAll('$', '$$$$')}@`)
      .replace(/([?&#;\s"']|^)([^=&#?;\s"'<>]+)=([^&#;\s"'<>]*)/g, (whole, before: string, name: string) =>
        this.hidesParameter(percentDecoded(name)) ? `${before}${name}=${this.mask}` : whole,
      )
      .replace(
        /\b(Bearer|Basic|Negotiate|DPoP)(\s+)(?!\w+=["\w])[\w.~+/=-]+/gi,
        (_, scheme, space) => `${scheme}${space}${this.mask}`,
      )
      .replace(/[\w.+/=%*@#-]+/g, (run) => this.withoutSession(run))
      .replace(/[\w.-]+/g, (run) => (isToken(run) ? this.mask : run));
  }

  /** The text of an entity, also when it was cut off. */
  entity(type: string, text: string): string {
    // what content is called and what it is are two things: pages send JSON as text/plain
    if (/\bjson\b/.test(type) || /^\s*[[{]/.test(text)) return this.text(this.members(text));
    if (/\b(?:xml|html)\b/.test(type) || /^\s*</.test(text)) return this.text(this.elements(text));
    return this.text(text);
  }

  /** Cookies and headers with session tokens of access managers have any name: they are known by their form. */
  private withoutSession(run: string): string {
    const at = run.search(MANAGED_SESSION);
    if (at < 0) return run;
    // only the spelling with a star has neither of these in it
    const start = run[at] === '*' ? Math.max(run.lastIndexOf('/', at), run.lastIndexOf('=', at)) + 1 : 0;
    return run.slice(0, start) + this.mask;
  }

  private hidesParameter(name: string): boolean {
    return name === CODE_PARAMETER || this.hides(name);
  }

  /** JSON, read token by token so that no text takes longer than its length. What hangs on a hidden name is hidden. */
  private members(text: string): string {
    let last = '';
    let hidden = false;
    let depth = 0;
    let hiddenFrom = Number.POSITIVE_INFINITY;
    return text.replace(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[{}[\]:,]|[^\s"{}[\]:,]+/g, (token) => {
      switch (token) {
        case ':':
          hidden = this.hides(last);
          return token;
        case ',':
          hidden = false;
          return token;
        case '{':
        case '[':
          depth++;
          if (hidden) hiddenFrom = Math.min(hiddenFrom, depth);
          return token;
        case '}':
        case ']':
          if (depth === hiddenFrom) hiddenFrom = Number.POSITIVE_INFINITY;
          depth--;
          hidden = false;
          return token;
        default:
          last = unquoted(token);
          return hidden || depth >= hiddenFrom ? `"${this.mask}"` : token;
      }
    });
  }

  /** XML and HTML: the text of elements, and what form fields hold. */
  private elements(text: string): string {
    return text
      .replace(/<([\w:.-]+)((?:\s[^<>]*)?>)([^<]*)/g, (whole, name: string, rest: string) =>
        this.hides(name.slice(name.indexOf(':') + 1)) ? `<${name}${rest}${this.mask}` : whole,
      )
      .replace(/<input\b[^<>]*>?/gi, (field) => {
        const name = /\bname\s*=\s*["']?([^\s"'>]*)/i.exec(field)?.[1] ?? '';
        if (!this.hides(name) && !/\btype\s*=\s*["']?password/i.test(field)) return field;
        return field.replace(/\bvalue\s*=\s*(?:"[^"]*"?|'[^']*'?|[^\s>]+)/gi, () => `value="${this.mask}"`);
      });
  }
}

function fits(patterns: readonly Pattern[], name: string): boolean {
  return patterns.some((pattern) => {
    try {
      return pattern.matches(name);
    } catch {
      return true; // a pattern that gives up must not bring a credential to light
    }
  });
}

/** Whether a run of characters has the form of a signed or encrypted token. */
function isToken(run: string): boolean {
  return run.startsWith('eyJ') && run.split('.').length >= 3;
}

/** The text of a JSON string, also when it was cut off. */
function unquoted(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}
