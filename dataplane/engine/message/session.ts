import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { EvaluationError, type Value } from '../../../contract/expression/value.ts';
import { sessionValue } from './session-value.ts';

/** A session as it was saved before this exchange. */
export interface StoredSession {
  /** Secret, and the same until the session is renewed: what a CSRF token is derived from. */
  readonly id: string;
  /** Shared with other exchanges and never changed. */
  readonly content: JsonObject;
  /** When it was first saved, in milliseconds since 1970. */
  readonly beganAt: number;
  /** Number of the save that it is of, where the keeper counts them. */
  readonly version: number;
}

/** The values of the session cookies that a request presented, by part; cookies may be repeated. */
export type PresentedCookies = readonly (readonly string[])[];

/** Opens the sessions that cookies stand for. */
export interface SessionKeeper {
  /** Null for cookies that stand for no session: forged, cut, mixed, expired, or of another manager. */
  open(presented: PresentedCookies): StoredSession | null;
}

/** Attributes of the session cookie that cookies beside it have in common with it. */
export interface CookieScope {
  readonly path: string;
  readonly domain?: string | undefined;
  readonly secure: boolean;
  readonly sameSite: 'LAX' | 'STRICT' | 'NONE';
}

/** Seals small contents that a client keeps for a while, in a cookie of their own. */
export interface Sealer {
  /**
   * Encrypts and authenticates content for one purpose.
   * @param lifetime in milliseconds
   * @throws SessionFault when the keys are not at hand
   */
  seal(purpose: string, content: JsonObject, lifetime: number): string;
  /** The content; null for a text that is over, was changed, or is of another purpose, manager or realm. */
  unseal(purpose: string, text: string): JsonObject | null;
}

/** The place that an exchange has its session from: a route with `session`, or the gateway itself. */
export interface SessionPlace extends Sealer {
  readonly cookieName: string;
  /** The name of the cookie in the configuration, which is not that of the cookie of a tenant. */
  readonly configuredName: string;
  readonly cookieScope: CookieScope;
  /** A session of an exchange without a session cookie. */
  begin(): Session;
}

/** The session that was visible before an exchange entered a place. */
export interface OuterSession {
  readonly place: SessionPlace | null;
  readonly session: Session | null;
}

export const NO_SESSION: OuterSession = { place: null, session: null };

/** Bytes of randomness in the id of a session. */
const ID_BYTES = 24;

/**
 * JSON values by name that outlive an exchange. The cookie is opened when something reads or writes a value first, so
 * that an exchange that needs no session costs no decryption.
 */
export class Session {
  readonly presented: PresentedCookies | null;
  readonly outer: OuterSession;
  /** Whether a session further inside has a cookie of the same name. */
  shadowed = false;
  private readonly keeper: SessionKeeper;
  /** Undefined until the cookie was opened. */
  private opened: StoredSession | null | undefined;
  /** Values that were set or handed out, which a filter may have changed in place; undefined for removed ones. */
  private readonly own = new Map<string, JsonValue | undefined>();
  private freshId: string | null = null;
  private isRenewed = false;
  private isCleared = false;
  private isSaved = false;

  constructor(keeper: SessionKeeper, presented: PresentedCookies | null, outer: OuterSession) {
    this.keeper = keeper;
    this.presented = presented;
    this.outer = outer;
  }

  /** The value of a name; null where there is none. A list or a map may be changed in place. */
  get(name: string): JsonValue {
    const own = this.own.get(name);
    if (own !== undefined || this.own.has(name)) return own ?? null;
    const content = this.content();
    if (!Object.hasOwn(content, name)) return null;
    const value = content[name]!;
    if (typeof value !== 'object' || value === null) return value;
    const copy = structuredClone(value);
    this.own.set(name, copy);
    return copy;
  }

  /** The value of a name for readers that never change it: a list or a map is shared with other exchanges. */
  peek(name: string): JsonValue {
    const own = this.own.get(name);
    if (own !== undefined || this.own.has(name)) return own ?? null;
    const content = this.content();
    return Object.hasOwn(content, name) ? content[name]! : null;
  }

  /** Sets a value; null removes it. @throws EvaluationError for what has no JSON form */
  set(name: string, value: Value): void {
    this.demandUnsaved();
    this.content();
    this.own.set(name, value === null ? undefined : sessionValue(value, `session.${name}`));
  }

  delete(name: string): void {
    this.set(name, null);
  }

  /** The names that have a value, those set last at the end. */
  names(): string[] {
    const kept = Object.keys(this.content()).filter((name) => !this.own.has(name) || this.own.get(name) !== undefined);
    const known = new Set(kept);
    for (const [name, value] of this.own) if (value !== undefined) known.add(name);
    return [...known];
  }

  get isEmpty(): boolean {
    return this.names().length === 0;
  }

  /** Ends the session: every value is removed, and the client forgets its cookie unless something is set again. */
  clear(): void {
    this.renew();
    this.isCleared = true;
    this.own.clear();
  }

  /**
   * Gives the session another id and a new lifetime and keeps its values. Call it whenever the user changes or gets
   * more rights, so that a cookie known from before is worth nothing afterwards.
   */
  renew(): void {
    this.demandUnsaved();
    this.content(); // what is renewed is what was presented
    this.isRenewed = true;
    this.freshId = null;
  }

  /** Secret that stays the same as long as the session is the same one. Never log or send it. */
  get id(): string {
    const { stored } = this;
    if (stored !== null && !this.isRenewed) return stored.id;
    this.freshId ??= randomBytes(ID_BYTES).toString('base64url');
    return this.freshId;
  }

  // ---- for session managers

  /** The session that the client presented; null when it presented none. */
  get stored(): StoredSession | null {
    if (this.opened === undefined) this.opened = this.presented === null ? null : this.keeper.open(this.presented);
    return this.opened;
  }

  /** Whether anything has read or written it. */
  get isOpened(): boolean {
    return this.opened !== undefined;
  }

  get isAnother(): boolean {
    return this.isRenewed;
  }

  /** Whether `clear` was called, so that changes do not build on the stored values. */
  get startsEmpty(): boolean {
    return this.isCleared;
  }

  /** Keeps later writes, which nobody would save, from going unnoticed. */
  seal(): void {
    this.isSaved = true;
  }

  /** New values by name, undefined for removed ones; values that are as they were are left out. @throws EvaluationError */
  changes(): ReadonlyMap<string, JsonValue | undefined> {
    const changed = new Map<string, JsonValue | undefined>();
    const before = this.content();
    for (const [name, value] of this.own) {
      // a list or a map that was handed out may hold anything by now
      const now = typeof value === 'object' ? sessionValue(value, `session.${name}`) : value;
      const was = Object.hasOwn(before, name) ? before[name] : undefined;
      if (now !== was && (now === undefined || was === undefined || !isSame(now, was))) changed.set(name, now);
    }
    return changed;
  }

  private content(): JsonObject {
    const { stored } = this;
    return stored === null || this.isCleared ? NOTHING : stored.content;
  }

  private demandUnsaved(): void {
    if (this.isSaved) throw new EvaluationError('the session was saved already: the response has left its route');
  }
}

const NOTHING: JsonObject = {};

function isSame(one: JsonValue, other: JsonValue): boolean {
  return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other);
}

/** The values of a session with changes on top. */
export function withChanges(before: JsonObject, changes: ReadonlyMap<string, JsonValue | undefined>): JsonObject {
  const kept = Object.entries(before).filter(([name]) => !changes.has(name));
  const added = [...changes].flatMap(([name, value]): [string, JsonValue][] =>
    value === undefined ? [] : [[name, value]],
  );
  return Object.fromEntries([...kept, ...added]);
}
