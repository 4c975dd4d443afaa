import { inspect } from 'node:util';
import type { Identity } from '../../engine/message/exchange.ts';
import type { AccessToken } from '../../heap/objects/access-tokens.ts';
import { userIn } from '../../heap/objects/user-name.ts';

type Info = AccessToken['info'];

/** What is seen of a token where somebody prints it, or something that it is in. */
const HIDDEN = '[access token]';

/** How many kept tokens of a unit have their info at hand; that of the others is read when somebody asks for it. */
export const MOST_PARSED = 16_384;
const parsed: VouchedToken[] = [];
let next = 0;

/**
 * An access token as the chain sees it. A kept one costs little beside the token: its info is a text, or nothing where
 * the token carries it, and is an object only while it is often asked for. Nobody can change it for other requests.
 */
export class VouchedToken implements AccessToken, Identity {
  readonly token: string;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAt: number;
  readonly user: string | null;
  /** Until when it is kept, at most until it expires; minus infinity as soon as it is not kept. */
  keepUntil: number;
  /** Ids that a revocation may name it by; null for none, and where nobody tells of revocations. */
  ids: readonly string[] | null = null;
  /** What the info is read from; null where the token carries it. */
  private readonly text: string | null;
  private value: Info | null;
  private isFrozen = false;

  private constructor(
    token: string,
    scopes: ReadonlySet<string>,
    expiresAt: number,
    keepUntil: number,
    text: string | null,
    value: Info | null,
    user: string | null,
  ) {
    this.token = token;
    this.scopes = scopes;
    this.expiresAt = expiresAt;
    this.keepUntil = keepUntil;
    this.text = text;
    this.value = value;
    this.user = user;
  }

  /** A token that serves one request. */
  static of(resolved: AccessToken): VouchedToken {
    if (resolved instanceof VouchedToken) return resolved;
    const { token, scopes, expiresAt, info, carriesInfo } = resolved;
    const text = carriesInfo === true ? null : '';
    return new VouchedToken(token, scopes, expiresAt, Number.NEGATIVE_INFINITY, text, info, userIn(info));
  }

  /** A token to be kept under `token`, the text that the client sent. */
  static kept(
    token: string,
    { info, expiresAt, carriesInfo }: AccessToken,
    scopes: ReadonlySet<string>,
    until: number,
  ): VouchedToken {
    const text = carriesInfo === true ? null : flat(JSON.stringify(info));
    const made = new VouchedToken(flat(token), scopes, expiresAt, until, text, null, userIn(info));
    made.remember(info);
    return made;
  }

  get kind(): 'token' {
    return 'token';
  }

  get key(): string {
    return this.token;
  }

  /** Characters that it takes, of the token and of its info. */
  get size(): number {
    return this.token.length + (this.text?.length ?? 0) + (this.user?.length ?? 0);
  }

  get carriesInfo(): boolean {
    return this.text === null;
  }

  get info(): Info {
    const value = this.value ?? this.remember(JSON.parse(this.text ?? payloadOf(this.token)) as Info);
    if (!this.isFrozen) {
      frozen(value); // not before somebody looks at it: few do
      this.isFrozen = true;
    }
    return value;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }

  private remember(info: Info): Info {
    const last = parsed[next];
    if (last !== undefined) last.value = null;
    parsed[next] = this;
    next = (next + 1) % MOST_PARSED;
    this.value = info;
    this.isFrozen = false;
    return info;
  }
}

function payloadOf(token: string): string {
  const start = token.indexOf('.') + 1;
  return Buffer.from(token.slice(start, token.indexOf('.', start)), 'base64url').toString('utf8');
}

/** A text of its own: a part of a longer one would keep all of that alive. */
function flat(text: string): string {
  const encoding = /[^\0-\xff]/.test(text) ? 'utf16le' : 'latin1';
  return Buffer.from(text, encoding).toString(encoding);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const item of Object.values(value)) frozen(item);
  return Object.freeze(value);
}
