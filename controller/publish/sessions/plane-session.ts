import {
  type Ack,
  type ControllerMessage,
  type Hello,
  type Nack,
  NOTICE_KINDS,
  type PlaneMessage,
  type Report,
} from '../../../contract/channel.ts';
import { decodePlaneMessage, encodeMessage, MalformedMessage } from '../../../contract/channel-codec.ts';
import { isRouteOfHash } from '../../../contract/route-hash.ts';
import { type RouteEntry, type RouteKey, routeKeyText } from '../../../contract/snapshot.ts';
import { BackOff } from '../../../platform/back-off.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Admission, Leave } from '../channel/admission.ts';
import { MessageBudget } from '../channel/message-budget.ts';
import type { MessageStream } from '../channel/message-stream.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import type { SessionSettings } from '../channel/session-settings.ts';
import type { NoticeRelay } from '../notice-relay.ts';
import type { PlaneFacts, TimedReport } from '../plane-facts.ts';
import { changedTroubles } from '../route-troubles.ts';
import { believedProblems, believedReport } from './believed-answers.ts';
import type { PlaneView, PreparedUpdate } from './plane-view.ts';
import type { PlaneViews } from './plane-views.ts';
import { RunningRoutes } from './running-routes.ts';
import { SessionClock } from './session-clock.ts';
import { SessionExplanations } from './session-explanations.ts';
import type { SessionListener } from './session-listener.ts';
import { SessionNotices } from './session-notices.ts';

export interface PlaneSessionOptions {
  readonly stream: MessageStream;
  readonly identity: PlaneIdentity;
  readonly hello: Hello;
  /** Name of this controller. */
  readonly controller: string;
  /** What planes are to know controllers by, in PEM; null when they have to know it already. */
  readonly authorities: string | null;
  readonly views: PlaneViews;
  readonly admission: Admission;
  readonly notices: NoticeRelay;
  readonly listener: SessionListener;
  readonly settings: SessionSettings;
  readonly clock: Clock;
}

interface Delivery {
  readonly nonce: number;
  readonly update: PreparedUpdate;
  readonly view: PlaneView;
  readonly sentAt: number;
  readonly sentWall: number;
  readonly callOff: readonly (() => void)[];
}

/** An update that the plane did not take, or not all of it. */
interface Refused {
  readonly view: PlaneView;
  readonly version: number;
  /** Whether a newer state may be tried. */
  isQuiet: boolean;
  /** Whether the same may be tried again. */
  isOver: boolean;
}

/** One stream with one plane: brings it to the newest state, one update at a time, and knows what it runs. */
export class PlaneSession {
  readonly identity: PlaneIdentity;
  readonly explanations: SessionExplanations;
  private readonly options: PlaneSessionOptions;
  private readonly stream: MessageStream;
  private readonly connectedSince: number;
  private readonly state: RunningRoutes;
  private readonly recalls = new Map<string, (entry: RouteEntry | null) => void>();
  private readonly times: SessionClock;
  private readonly budget: MessageBudget;
  private readonly notices: SessionNotices;
  private lastReport: TimedReport | null = null;
  private view: PlaneView | null = null;
  /** The version of the view that it runs; null when it has to be compared route by route. */
  private version: number | null = null;
  private isInDoubt: boolean;
  private isPreparing = false;
  private delivery: Delivery | null = null;
  private nonce = 0;
  private refused: Refused | null = null;
  private readonly backOff: BackOff;
  private isEnding = false;
  private isSentAway = false;
  private endReason = 'the data plane disconnected';

  constructor(options: PlaneSessionOptions) {
    const { stream, identity, hello, clock, settings } = options;
    this.options = options;
    this.stream = stream;
    this.identity = identity;
    this.connectedSince = clock.wall();
    this.budget = new MessageBudget(clock);
    this.notices = new SessionNotices({
      ...{ relay: options.notices, identity, kinds: hello.notices ?? [], clock },
      send: (message) => this.send(message),
      tooMany: (dropped) => options.listener.tooManyNotices?.(this.facts, dropped),
    });
    this.explanations = new SessionExplanations({
      ...{ clock, timeout: settings.explainTimeout, plane: identity.name },
      send: (message) => this.send(message),
    });
    this.backOff = new BackOff({ first: settings.nackPause, longest: settings.nackPauseLimit, jitter: 0 });
    this.findView();
    this.state = new RunningRoutes(hello.holds, this.view);
    this.isInDoubt = this.state.isDoubtful;
    this.times = new SessionClock({
      clock,
      settings,
      until: identity.until,
      beat: () => this.beat(),
      end: (reason, isFault) => (isFault ? this.fail('UNAVAILABLE', reason) : this.end(reason)),
    });
  }

  /** What is known of the plane now. */
  get facts(): PlaneFacts {
    const { identity, connectedSince, lastReport, delivery } = this;
    const { revision, running, problems } = this.state;
    const { controller, hello } = this.options;
    const pending = delivery === null ? null : { revision: delivery.update.revision, sentAt: delivery.sentWall };
    const { version, units, explains } = hello;
    const stream = { identity, controller, connectedSince, version, units, ...(explains && { explains }) };
    return { ...stream, pending, revision, running, problems, lastReport };
  }

  /** Greets the plane and goes on until the stream ends. */
  begin(): void {
    const { controller, authorities, settings, listener } = this.options;
    const { id, group, namespace, labels } = this.identity;
    this.stream.listen(
      (bytes) => this.receive(bytes),
      () => this.closed(),
    );
    if (this.stream.signal.aborted) return;
    const { heartbeat, report } = settings;
    const terms = { heartbeat, report, notices: NOTICE_KINDS };
    const welcome = { type: 'welcome', controller, plane: id, group, namespace, labels, ...terms } as const;
    this.send(authorities === null ? welcome : { ...welcome, authorities });
    this.notices.join();
    listener.connected(this.facts);
    this.wake();
  }

  /** There may be something new to send. While an update is on its way, only the newest state counts afterwards. */
  wake(): void {
    if (this.stream.signal.aborted || this.isEnding || this.isSentAway) return;
    if (this.isPreparing || this.delivery !== null) return;
    this.findView();
    const { view, refused } = this;
    if (view === null || this.version === view.version) return;
    if (refused !== null && (!refused.isQuiet || isHeldBack(refused, view))) return;
    this.isPreparing = true;
    void this.deliver(view).finally(() => {
      this.isPreparing = false;
      this.wake();
    });
  }

  /** Whether the stream is about to end. */
  get isLeaving(): boolean {
    return this.stream.signal.aborted || this.isEnding || this.isSentAway;
  }

  /** Whether it runs that version of a route. */
  runs(route: RouteKey, hash: string): boolean {
    return this.state.running.get(routeKeyText(route)) === hash;
  }

  /** The plane's version of a route; null when it does not have that one, or does not answer in time. */
  recall(route: RouteKey, hash: string): Promise<RouteEntry | null> {
    const key = `${routeKeyText(route)} ${hash}`;
    const { clock, settings } = this.options;
    if (this.stream.signal.aborted || this.recalls.has(key)) return Promise.resolve(null);
    return new Promise((resolve) => {
      const done = (entry: RouteEntry | null): void => {
        callOff();
        this.recalls.delete(key);
        resolve(entry);
      };
      const callOff = clock.after(settings.recallTimeout, () => done(null));
      this.recalls.set(key, done);
      this.send({ type: 'recall', routes: [{ router: route.router, id: route.id, hash }] });
    });
  }

  /** Tells the plane to look for another controller. It keeps this stream, on which nothing new is sent, until it has one. */
  sendAway(reason: string): void {
    if (this.stream.signal.aborted || this.isEnding || this.isSentAway) return;
    this.isSentAway = true;
    this.send({ type: 'goaway', reason });
  }

  /** Tells the plane to connect again, and ends the stream in a moment. Nothing new is sent on it. */
  end(reason: string): void {
    if (this.stream.signal.aborted || this.isEnding) return;
    this.isEnding = true;
    this.endReason = reason;
    this.send({ type: 'goaway', reason });
    this.times.after(this.options.settings.goodbye, () => this.stream.end());
  }

  /** Ends the stream at once, because the plane may not have it any more. */
  revoke(reason: string): void {
    this.fail('UNAUTHENTICATED', reason);
  }

  /** @param told what the controller's own people hear */
  private fail(code: 'UNAUTHENTICATED' | 'UNAVAILABLE' | 'INVALID_ARGUMENT', reason: string, told = reason): void {
    if (!this.stream.signal.aborted) this.endReason = told;
    this.stream.fail(code, reason);
  }

  /** Finds the view again when planes are told apart otherwise than before. */
  private findView(): void {
    const { views } = this.options;
    if (this.view !== null && views.isCurrent(this.identity, this.view)) return;
    this.view = views.join(this.identity);
    this.version = null;
  }

  private async deliver(view: PlaneView): Promise<void> {
    const { admission, settings } = this.options;
    let update = this.prepare(view);
    let leave: Leave | null = null;
    if (update.parts.bytes >= settings.largeUpdate) {
      leave = await admission.enter(update.parts.bytes, this.stream.signal);
      if (leave === null) return;
      this.findView();
      if (this.view !== view || this.isEnding) return leave();
      update = this.prepare(view);
    }
    const { nonce } = this.open(view, update);
    const { parts } = update;
    for (let index = 0; index < parts.count; index++) {
      if (!(await this.stream.send(parts.message(index, nonce)))) break;
    }
    leave?.();
  }

  private prepare(view: PlaneView): PreparedUpdate {
    if (this.isInDoubt) return view.everything(this.state);
    return (this.version === null ? null : view.since(this.version, this.state)) ?? view.from(this.state);
  }

  private open(view: PlaneView, update: PreparedUpdate): Delivery {
    const { clock, settings, listener } = this.options;
    const slow = clock.after(settings.ackTimeout, () => listener.changed(this.facts, []));
    const late = clock.after(settings.ackLimit, () =>
      this.fail('UNAVAILABLE', 'an update was not acknowledged in time'),
    );
    const nonce = ++this.nonce;
    const [sentAt, sentWall] = [clock.steady(), clock.wall()];
    this.delivery = { nonce, update, view, sentAt, sentWall, callOff: [slow, late] };
    return this.delivery;
  }

  private receive(bytes: Buffer): void {
    this.times.heard();
    try {
      if (this.budget.take(bytes.length)) this.take(decodePlaneMessage(bytes));
      else this.fail('UNAVAILABLE', 'the data plane sends too many messages');
    } catch (error) {
      // Whatever a plane says, it costs nobody but itself its stream.
      const isKnown = error instanceof MalformedMessage;
      const reason = isKnown ? error.message : 'the message could not be processed';
      this.fail('INVALID_ARGUMENT', reason, isKnown ? reason : `${reason}: ${String(error)}`);
    }
  }

  /** Takes the body of a route if it is the one that was asked for; if it is another one, others are asked. */
  private recalledRoute(route: RouteEntry): void {
    this.recalls.get(`${routeKeyText(route)} ${route.hash}`)?.(isRouteOfHash(route) ? route : null);
  }

  private reported(report: Report): void {
    const before = this.lastReport?.report;
    this.lastReport = { at: this.options.clock.wall(), report };
    this.options.listener.changed(this.facts, changedTroubles(before, report));
  }

  private take(message: PlaneMessage): void {
    switch (message.type) {
      case 'ack':
        this.acked(message);
        break;
      case 'nack':
        this.nacked(message);
        break;
      case 'report':
        this.reported(believedReport(message, this.view));
        break;
      case 'recalled':
        for (const route of message.routes) this.recalledRoute(route);
        break;
      case 'explained':
        this.explanations.answered(message);
        break;
      case 'notice':
      case 'refresh':
        this.notices.take(message);
        break;
      case 'hello':
        throw new MalformedMessage('a second hello');
      case 'heartbeat':
        this.beat(); // costs less now than in a turn of its own
        break;
    }
  }

  private acked(ack: Ack): void {
    const delivery = this.answered(ack.nonce);
    if (delivery === null) return;
    const { listener, clock } = this.options;
    const { update, view, sentAt } = delivery;
    if (ack.revision !== update.revision) throw new MalformedMessage('another revision was acknowledged');
    const isKnown = (key: string): boolean => view.entries.has(key) || update.changes.has(key);
    const touched = this.state.taken(update, { ...ack, problems: believedProblems(ack.problems, isKnown) });
    this.isInDoubt = false;
    if (view === this.view) this.version = update.version;
    // What the plane has in a newer version is settled once this controller has seen as much.
    if (ack.newer.length === 0) this.refused = null;
    else this.holdBack(delivery);
    listener.changed(this.facts, touched);
    listener.acknowledged?.(this.facts, clock.steady() - sentAt);
    this.wake();
  }

  private nacked(nack: Nack): void {
    const delivery = this.answered(nack.nonce);
    if (delivery === null) return;
    const { listener } = this.options;
    const { update, view } = delivery;
    const isKnown = (key: string): boolean => view.entries.has(key) || update.changes.has(key);
    const problems = believedProblems(nack.problems, isKnown);
    this.holdBack(delivery);
    listener.changed(this.facts, this.state.refused(problems));
    listener.nacked?.(this.facts, problems);
  }

  /** Compares the plane again when the state has changed, or after a while, each time a longer one. */
  private holdBack({ view, update: { version } }: Delivery): void {
    if (this.refused === null) this.backOff.reset();
    const pause = this.backOff.next();
    const refused: Refused = { view, version, isQuiet: false, isOver: false };
    const again = (field: 'isQuiet' | 'isOver'): void => {
      refused[field] = true;
      if (this.refused === refused) this.wake();
    };
    this.refused = refused;
    this.version = null;
    this.times.after(Math.min(this.options.settings.nackGap, pause), () => again('isQuiet'));
    this.times.after(pause * (1 + Math.random() / 4), () => again('isOver'));
  }

  /** The update that an answer is about; null when it is about none, which an old answer may be. */
  private answered(nonce: number): Delivery | null {
    const { delivery } = this;
    if (delivery === null || delivery.nonce !== nonce) return null;
    for (const callOff of delivery.callOff) callOff();
    this.delivery = null;
    return delivery;
  }

  private beat(): void {
    // A plane that has not taken what was sent needs no more of it.
    if (this.stream.isBusy) return;
    this.times.sent();
    this.send({ type: 'heartbeat' });
  }

  private send(message: ControllerMessage): void {
    void this.stream.send(encodeMessage(message));
  }

  private closed(): void {
    const { views, listener } = this.options;
    this.times.close();
    this.notices.leave();
    for (const callOff of this.delivery?.callOff ?? []) callOff();
    for (const done of [...this.recalls.values()]) done(null);
    this.explanations.close();
    if (this.view !== null) views.leave(this.identity, this.view);
    listener.closed(this.facts, this.endReason);
  }
}

function isHeldBack({ view, version, isOver }: Refused, current: PlaneView): boolean {
  return view === current && version === current.version && !isOver;
}
