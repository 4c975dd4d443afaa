import { jsonObjectIn } from '../../../contract/document/json-value.ts';
import { pauseAfter } from '../../../platform/back-off.ts';
import { sharedClock } from '../../heap/shared-clock.ts';
import { SessionMemory } from '../../sessions/session-memory.ts';
import { SessionTable } from '../../sessions/session-table.ts';
import type { LogInResult } from './agent-log-in.ts';

/** Few passwords are in use at a time, and a token has some hundred bytes; memory is taken when it is needed. */
const LIMITS = { sessions: 16, bytes: 1 << 20 };
const FLAG_BYTES = 8;
/** Milliseconds that an unused token is kept. */
const LIFETIME = 86_400_000;
/** Milliseconds after which a unit that logs in and has not said so again is taken for dead. */
const LEASE = 5000;
const LEASE_RENEWAL = 1000;
/** Milliseconds between looks at an entry that another unit works on; they double. */
const FIRST_LOOK = 5;
const LONGEST_LOOK = 100;
/** Pauses after failed log-ins, and after new tokens that were rejected as the former ones. */
const PAUSES = { first: 1000, longest: 60_000, jitter: 0 };

/** State of the log-in of one agent, which all units share. It holds a token: never log anything of it. */
type State =
  | { readonly kind: 'asking'; readonly until: number; readonly failures: number }
  | { readonly kind: 'failed'; readonly until: number; readonly failures: number; readonly reason: string }
  /** Not renewed before `until`, whatever the access manager says of it. */
  | { readonly kind: 'token'; readonly token: string; readonly until: number; readonly failures: number };

/** The agent has no token: the access manager refused it or could not be asked. Its message is safe for a log. */
export class AgentLoginFailed extends Error {
  constructor(reason: string) {
    super(`the agent cannot log in: ${reason}`);
    this.name = 'AgentLoginFailed';
  }
}

/** The token of an agent, one for all units. One unit logs in while the others wait. */
export class SharedAgentToken {
  static readonly bytes = SessionMemory.bytes(LIMITS) + FLAG_BYTES;
  private readonly table: SessionTable;
  private readonly flags: Int32Array;
  private readonly now: () => number;

  constructor(memory: SharedArrayBuffer, now: () => number = sharedClock()) {
    this.table = new SessionTable(memory, LIMITS, { idle: LIFETIME, absolute: Number.POSITIVE_INFINITY }, now);
    this.flags = new Int32Array(memory, memory.byteLength - FLAG_BYTES, 1);
    this.now = now;
  }

  /** Whether the last attempt to log in failed, of whichever unit. */
  get isFailing(): boolean {
    return Atomics.load(this.flags, 0) === 1;
  }

  set isFailing(is: boolean) {
    Atomics.store(this.flags, 0, is ? 1 : 0);
  }

  /**
   * Returns the token that units share under this id, or logs in. Rejects with AgentLoginFailed, also while the last
   * failure is too recent for another attempt.
   * @param rejected the token that the access manager did not accept; null for none
   * @param logIn must not reject
   */
  async get(id: string, rejected: string | null, logIn: () => Promise<LogInResult>): Promise<string> {
    for (let look = FIRST_LOOK; ; look = Math.min(2 * look, LONGEST_LOOK)) {
      const found = this.table.add(id, this.asking(0));
      if (found === 'full') return tokenOf(stateAfter(await logIn(), 0, this.now()));
      if (found === 'added') return this.answered(id, 1, 0, logIn);
      const state = readState(found.text);
      if (state?.kind === 'token' && (state.token !== rejected || this.now() < state.until)) return state.token;
      if (state?.kind === 'failed' && this.now() < state.until) return tokenOf(state);
      if (state?.kind !== 'asking' || this.now() >= state.until) {
        const failures = state === null || this.isSettled(state) ? 0 : state.failures;
        if (this.table.replace(id, found.version, this.asking(failures)) === 'saved') {
          return this.answered(id, (found.version + 1) | 0, failures, logIn);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, look));
    }
  }

  /** A new token was rejected too: another log-in would not help, and every request would cause one. */
  useless(id: string, token: string): void {
    const found = this.table.find(id);
    const state = found === null ? null : readState(found.text);
    if (state?.kind !== 'token' || state.token !== token || this.now() < state.until) return;
    const until = this.now() + pauseAfter(state.failures, PAUSES);
    const paused: State = { ...state, until, failures: state.failures + 1 };
    this.table.replace(id, found!.version, JSON.stringify(paused));
  }

  private async answered(
    id: string,
    version: number,
    failures: number,
    logIn: () => Promise<LogInResult>,
  ): Promise<string> {
    let current = version;
    const renewal = setInterval(() => {
      if (this.table.replace(id, current, this.asking(failures)) === 'saved') current = (current + 1) | 0;
    }, LEASE_RENEWAL);
    renewal.unref();
    try {
      const state = stateAfter(await logIn(), failures, this.now());
      // where another unit took this one for dead, its result counts
      this.table.replace(id, current, JSON.stringify(state));
      this.isFailing = state.kind !== 'token';
      return tokenOf(state);
    } finally {
      clearInterval(renewal);
    }
  }

  /** Whether a token was good for long enough that former failures do not count. */
  private isSettled(state: State): boolean {
    return state.kind === 'token' && this.now() >= state.until + PAUSES.longest;
  }

  private asking(failures: number): string {
    const state: State = { kind: 'asking', until: this.now() + LEASE, failures };
    return JSON.stringify(state);
  }
}

function stateAfter(result: LogInResult, failures: number, now: number): State {
  if (result.kind === 'token') return { kind: 'token', token: result.token, until: 0, failures };
  const until = now + pauseAfter(failures, PAUSES);
  return { kind: 'failed', until, failures: failures + 1, reason: result.reason };
}

function tokenOf(state: State): string {
  if (state.kind === 'token') return state.token;
  throw new AgentLoginFailed(state.kind === 'failed' ? state.reason : 'another unit is logging in');
}

/** Returns the state in an entry; null for what a thread left that ended while it wrote. */
function readState(text: string): State | null {
  const value = jsonObjectIn(text);
  if (value === null) return null;
  const { kind, until, failures, reason, token } = value;
  if (typeof until !== 'number' || typeof failures !== 'number') return null;
  if (kind === 'asking') return { kind, until, failures };
  if (kind === 'failed' && typeof reason === 'string') return { kind, until, failures, reason };
  return kind === 'token' && typeof token === 'string' ? { kind, until, failures, token } : null;
}
