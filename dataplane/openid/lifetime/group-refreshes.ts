import { hash, randomInt } from 'node:crypto';
import { MOST_SEALED, type RefreshNews } from '../../../contract/channel.ts';
import type { SessionPlace } from '../../engine/message/session.ts';
import type { RefreshExchange } from '../../heap/plane-services.ts';
import type { HeldSession, SessionTable } from '../../sessions/session-table.ts';
import { readSignedIn, type SignedIn } from '../client/signed-in.ts';
import {
  type AskingState,
  LEASE,
  RESULT_LIFETIME,
  type RefreshState,
  type RenewedState,
  readRefreshState,
  type ToldState,
} from './shared-refreshes.ts';

/** Milliseconds between two messages that a plane waits for a refresh. */
const WANT_INTERVAL = 1000;
const PURPOSE = 'token refresh';
/** Beyond this many entries, those of other planes are not kept: a plane needs room for its own. */
const MOST_OF_OTHERS = 1 << 14;
const LARGEST_CLAIM = 2 ** 47;

export interface GroupRefreshesOptions {
  readonly exchange: RefreshExchange;
  /** The table that all units of the plane share. */
  readonly table: () => SessionTable;
  /** The tenant of the sessions. */
  readonly realm: string;
  readonly now: () => number;
}

/**
 * Agrees with other planes of the group on who refreshes a token. Providers accept a refresh token once, and some end the
 * whole sign-in at the second use. A plane claims the refresh and waits until it hears its own claim: all planes hear all
 * claims in one order, and the first one asks the provider. It sends the renewed tokens to planes that want them. Where no
 * controller passes claims on, a plane asks at once.
 */
export class GroupRefreshes {
  private readonly options: GroupRefreshesOptions;
  private readonly realm: string;
  private readonly end: () => void;
  /** When this unit said last that it waits. */
  private readonly wants = new Map<string, number>();

  constructor(options: GroupRefreshesOptions) {
    this.options = options;
    this.realm = hash('sha256', options.realm, 'buffer').subarray(0, 12).toString('base64url');
    this.end = options.exchange.hear(this.realm, (news) => this.hear(news));
  }

  close(): void {
    this.end();
  }

  /** A number by which the plane knows its own claim. */
  newClaim(): number {
    return randomInt(LARGEST_CLAIM);
  }

  /** Claims a refresh. @returns whether it was sent, so that its place in the order will be heard */
  isTold(key: string, claim: number): Promise<boolean> {
    return this.tell({ key, stage: 'claimed', claim });
  }

  /** Tells the plane that refreshes that this one waits for the result, now and again. */
  want(key: string): void {
    const now = performance.now();
    if (now < (this.wants.get(key) ?? 0) + WANT_INTERVAL) return;
    this.wants.delete(key);
    this.wants.set(key, now);
    for (const [old, at] of this.wants) {
      if (at > now - WANT_INTERVAL) break;
      this.wants.delete(old);
    }
    void this.tell({ key, stage: 'wanted' });
  }

  /** Tells planes that wait that the refresh goes on. */
  goesOn(key: string): void {
    if (this.options.table().find(wanted(key)) !== null) void this.tell({ key, stage: 'begun' });
  }

  /** Returns what to use in place of an answer: a plane that asked at the same time may have got the tokens. */
  settled(key: string, answer: Exclude<RefreshState, AskingState>): Exclude<RefreshState, AskingState> {
    if (answer.kind !== 'refused') return answer;
    const found = this.options.table().find(late(key));
    const told = found === null ? null : readRefreshState(found.text);
    return told?.kind === 'told' ? told : answer;
  }

  /** Sends the result to planes that wait for it. */
  finished(key: string, state: RefreshState): void {
    if (this.options.table().find(wanted(key)) !== null) this.tellResult(key, state);
  }

  private hear(news: RefreshNews): void {
    const found = this.options.table().find(news.key);
    const state = found === null ? null : readRefreshState(found.text);
    if (found === null) this.hearNew(news);
    else if (state?.kind === 'asking') this.hearWhileAsking(news, found, state);
    else if (state !== null && state.kind !== 'told') this.hearAfter(news, state);
  }

  /** Nobody at this plane needs the refresh yet. */
  private hearNew(news: RefreshNews): void {
    const table = this.options.table();
    if (table.size >= MOST_OF_OTHERS) return;
    const result = resultIn(news);
    if (result !== null) table.add(news.key, JSON.stringify(result));
    else if (news.stage === 'claimed' || news.stage === 'begun') table.add(news.key, this.asking(true));
  }

  private hearWhileAsking(news: RefreshNews, { version }: HeldSession, { claim, isElsewhere }: AskingState): void {
    const table = this.options.table();
    const { key, stage } = news;
    const result = resultIn(news);
    const isAsking = claim === undefined && isElsewhere !== true;
    if (result !== null) {
      if (isAsking) table.add(late(key), JSON.stringify(result));
      else table.replace(key, version, JSON.stringify(result));
    } else if (stage === 'failed') {
      if (isElsewhere === true) table.remove(key, version);
    } else if (isAsking) {
      if (stage === 'begun') return;
      table.add(wanted(key), '{}');
      void this.tell({ key, stage: 'begun' });
    } else if (stage === 'begun') table.replace(key, version, this.asking(true));
    else if (stage === 'claimed' && claim !== undefined) {
      table.replace(key, version, this.asking(news.claim !== claim)); // this claim is the first
    }
  }

  /** This plane has the result. */
  private hearAfter({ key, stage }: RefreshNews, state: RefreshState): void {
    if (stage === 'claimed' || stage === 'wanted') this.tellResult(key, state);
  }

  private tellResult(key: string, state: RefreshState): void {
    if (state.kind === 'refused') void this.tell({ key, stage: 'refused' });
    else if (state.kind !== 'renewed' || state.sealed === undefined) void this.tell({ key, stage: 'failed' });
    else if (state.isRotated === true) void this.tell({ key, stage: 'renewed', sealed: state.sealed });
    else if (this.options.now() >= state.usableUntil) void this.tell({ key, stage: 'failed' });
    else void this.tell({ key, stage: 'renewed', sealed: state.sealed, until: Math.floor(state.usableUntil) });
  }

  private tell(news: Omit<RefreshNews, 'type' | 'realm'>): Promise<boolean> {
    return this.options.exchange.tell({ type: 'refresh', realm: this.realm, ...news });
  }

  private asking(isElsewhere: boolean): string {
    const until = this.options.now() + LEASE;
    const state: AskingState = { kind: 'asking', until, ...(isElsewhere && { isElsewhere }) };
    return JSON.stringify(state);
  }
}

/** Adds to renewed tokens what other planes get; they stay as they are where no other plane could read it. */
export function sealedRenewal(renewed: RenewedState, place: SessionPlace | null): RenewedState {
  if (place === null) return renewed;
  try {
    const { signedIn, usableUntil } = renewed;
    const sealed = place.seal(PURPOSE, { signedIn: { ...signedIn }, usableUntil }, RESULT_LIFETIME);
    return sealed.length > MOST_SEALED ? renewed : { ...renewed, sealed };
  } catch {
    return renewed; // the keys are gone: the response will say so
  }
}

/** Returns the tokens that another plane renewed; null for a session whose keys that plane does not share. */
export function openedRenewal(
  { sealed }: ToldState,
  place: SessionPlace | null,
): { readonly signedIn: SignedIn; readonly usableUntil: number } | null {
  const content = place?.unseal(PURPOSE, sealed) ?? null;
  const { signedIn: value, usableUntil } = content ?? {};
  const signedIn = value === undefined ? null : readSignedIn(value);
  return signedIn === null || typeof usableUntil !== 'number' ? null : { signedIn, usableUntil };
}

function resultIn({ stage, sealed, until }: RefreshNews): RefreshState | null {
  if (stage === 'refused') return { kind: 'refused' };
  if (stage !== 'renewed' || sealed === undefined) return null;
  return { kind: 'told', sealed, ...(until !== undefined && { until }) };
}

/** Entry that says that another plane waits for a refresh of this one. */
function wanted(key: string): string {
  return `${key} wanted`;
}

/** Entry with the result of another plane that asked at the same time. */
function late(key: string): string {
  return `${key} late`;
}
