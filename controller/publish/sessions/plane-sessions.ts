import type { Hello } from '../../../contract/channel.ts';
import { type RouteEntry, type RouteKey, routeKeyText } from '../../../contract/snapshot.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { Admission, type AdmissionOptions } from '../channel/admission.ts';
import type { MessageStream } from '../channel/message-stream.ts';
import { PlaneArrivals } from '../channel/plane-arrivals.ts';
import type { PlaneGrant } from '../channel/plane-authentication.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import { defaultSessionSettings, type SessionSettings } from '../channel/session-settings.ts';
import {
  type DryRunAnswer,
  type DryRunQuestion,
  isAskedFor,
  servesRevision,
  withoutPlane,
} from '../dry-run-question.ts';
import { NoticeRelay } from '../notice-relay.ts';
import type { PlaneFacts } from '../plane-facts.ts';
import type { PublishedState } from '../published-state.ts';
import { PlaneSession } from './plane-session.ts';
import { PlaneViews } from './plane-views.ts';
import type { SessionListener } from './session-listener.ts';

export interface PlaneSessionsOptions {
  /** Name of this controller. */
  readonly controller: string;
  /** The authorities that controllers are certified by at the moment, in PEM; by default planes are not told. */
  authorities?(): string;
  readonly listener: SessionListener;
  readonly settings?: Partial<SessionSettings>;
  readonly admission?: Omit<AdmissionOptions, 'clock'>;
  readonly clock?: Clock;
  /** Passes notices on; by default among the planes of this controller. */
  readonly notices?: NoticeRelay;
}

const LOST = 'this controller lost contact with the API server';

/** All planes that have a stream with this controller. */
export class PlaneSessions {
  private readonly options: PlaneSessionsOptions;
  private readonly settings: SessionSettings;
  private readonly clock: Clock;
  private readonly admission: Admission;
  private readonly views = new PlaneViews();
  private readonly arrivals: PlaneArrivals;
  private readonly sessions = new Map<string, PlaneSession>();
  private readonly recalls = new Map<string, Promise<RouteEntry | null>>();
  private readonly notices: NoticeRelay;
  private isOutOfTouch = false;
  private isClosed = false;

  constructor(options: PlaneSessionsOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.settings = { ...defaultSessionSettings, ...options.settings };
    this.admission = new Admission({ ...options.admission, clock: this.clock });
    this.arrivals = new PlaneArrivals(this.clock);
    this.notices = options.notices ?? new NoticeRelay(this.clock);
  }

  get facts(): readonly PlaneFacts[] {
    return [...this.sessions.values()].map((session) => session.facts);
  }

  /** Milliseconds that planes have to go when they are told to. */
  get goodbye(): number {
    return this.settings.goodbye;
  }

  /** How many large updates wait for their turn. */
  get waiting(): number {
    return this.admission.waiting;
  }

  /** Brings every plane to a state, each as fast as it can take it. */
  publish(state: PublishedState): void {
    this.views.publish(state);
    for (const session of this.sessions.values()) session.wake();
  }

  /** Takes a plane that was authenticated. A stream that it had before ends. */
  add(stream: MessageStream, grant: PlaneGrant, identity: PlaneIdentity, hello: Hello): void {
    const { id } = identity;
    const { settings, clock, views, admission, notices } = this;
    const { controller, listener } = this.options;
    const authorities = this.options.authorities?.() ?? null;
    const isFutile = this.isOutOfTouch && this.knowsNothingNew(identity, hello);
    const refusal = isFutile ? LOST : this.arrivals.enter(id);
    if (refusal !== null) {
      stream.fail('UNAVAILABLE', refusal);
      return;
    }
    stream.whenReleased(() => this.arrivals.leave(id));
    this.sessions.get(id)?.end('the data plane opened another stream');
    let endWatch = (): void => undefined;
    // What a stream says that another one has taken the place of is no news of the plane.
    const isCurrent = (): boolean => this.sessions.get(id) === session;
    const session = new PlaneSession({
      stream,
      identity,
      hello,
      controller,
      authorities,
      views,
      admission,
      notices,
      settings,
      clock,
      listener: {
        connected: (facts) => listener.connected(facts),
        changed: (facts, routes) => isCurrent() && listener.changed(facts, routes),
        acknowledged: (facts, milliseconds) => {
          if (!isCurrent()) return;
          listener.acknowledged?.(facts, milliseconds);
          if (this.isOutOfTouch) session.sendAway(LOST); // it has what is known here
        },
        nacked: (facts, problems) => isCurrent() && listener.nacked?.(facts, problems),
        tooManyNotices: (facts, dropped) => listener.tooManyNotices?.(facts, dropped),
        closed: (facts, reason) => {
          endWatch();
          if (!isCurrent()) return;
          this.sessions.delete(id);
          listener.closed(facts, reason);
        },
      },
    });
    this.sessions.set(id, session);
    session.begin();
    if (stream.signal.aborted) return;
    endWatch = grant.watch(identity, (reason, how) =>
      how === 'revoked' ? session.revoke(reason) : session.end(reason),
    );
    if (this.isClosed) session.end('the controller is stopping');
  }

  /** The newest revision for planes like this one; null when none of them is here. */
  revisionFor(identity: PlaneIdentity): string | null {
    return this.views.revisionFor(identity);
  }

  /**
   * Says whether this controller knows how the cluster is. When it does not any more, planes are told to look for another
   * one; those that come are served only if they lack something that is known here, and told to go when they have it.
   */
  setInTouch(isInTouch: boolean): void {
    this.isOutOfTouch = !isInTouch;
    if (isInTouch) return;
    for (const session of this.sessions.values()) session.sendAway(LOST);
  }

  /** Ends the stream of a plane at once. */
  end(plane: string, reason: string): void {
    this.sessions.get(plane)?.revoke(reason);
  }

  /** The body of a route that is known by its hash only, from any plane that runs it; null when none gives it. */
  recall(route: RouteKey, hash: string): Promise<RouteEntry | null> {
    const key = `${routeKeyText(route)} ${hash}`;
    const asked = this.recalls.get(key);
    if (asked !== undefined) return asked;
    const answer = this.ask(route, hash).finally(() => this.recalls.delete(key));
    this.recalls.set(key, answer);
    return answer;
  }

  /** Has a plane of this controller make a dry run: one that is ready and runs the newest revision. */
  async explain(question: DryRunQuestion): Promise<DryRunAnswer> {
    const asked = this.facts.filter((facts) => isAskedFor(facts, question));
    const session = this.explaining(question);
    return session?.explanations.ask(question.request, question.route) ?? withoutPlane(asked, question.plane);
  }

  /** Identity of the plane that would be asked; null for none. */
  explainer(question: Pick<DryRunQuestion, 'plane'>): PlaneIdentity | null {
    return this.explaining(question)?.identity ?? null;
  }

  private explaining(question: Pick<DryRunQuestion, 'plane'>): PlaneSession | undefined {
    const able = [...this.sessions.values()].filter(({ facts, identity, isLeaving }) => {
      if (isLeaving || facts.explains !== true || !isAskedFor(facts, question)) return false;
      return servesRevision(facts, this.revisionFor(identity));
    });
    return able.toSorted((a, b) => a.explanations.size - b.explanations.size)[0];
  }

  /** Tells every plane to go, to this controller's peers or to whoever comes after it. */
  close(): void {
    this.isClosed = true;
    for (const session of this.sessions.values()) session.end('the controller is stopping');
    this.admission.close();
  }

  private knowsNothingNew(identity: PlaneIdentity, { holds }: Hello): boolean {
    return holds.revision !== null && holds.revision === this.revisionFor(identity);
  }

  private async ask(route: RouteKey, hash: string): Promise<RouteEntry | null> {
    for (const session of [...this.sessions.values()]) {
      if (!session.runs(route, hash)) continue;
      const entry = await session.recall(route, hash);
      if (entry !== null) return entry;
    }
    return null;
  }
}
