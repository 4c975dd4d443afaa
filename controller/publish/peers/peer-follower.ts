import { NOTICE_KINDS, type RouteProblems } from '../../../contract/channel.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { AwaitedDryRuns } from '../awaited-dry-runs.ts';
import type { MessageStream } from '../channel/message-stream.ts';
import type { DryRunAnswer, DryRunQuestion } from '../dry-run-question.ts';
import type { NoticeReceiver, NoticeRelay } from '../notice-relay.ts';
import type { PlaneFacts } from '../plane-facts.ts';
import type { PlaneLedger } from '../plane-ledger.ts';
import { changedTroubles } from '../route-troubles.ts';
import {
  decodePeerMessage,
  encodePeerMessage,
  type ForwardedPlane,
  type ForwardedReport,
  noticeMessages,
  PEER_PROTOCOL,
  type PeerHello,
} from './peer-messages.ts';

export interface PeerFollowerOptions {
  /** Name of this controller. */
  readonly controller: string;
  readonly ledger: PlaneLedger;
  readonly clock?: Clock;
  /** Takes notices of followers and tells them those of others; absent where none are passed on. */
  readonly notices?: NoticeRelay;
  /** Whether this controller leads now. */
  isLeader(): boolean;
  /** Hears what became of streams, for the log. */
  told?(message: string): void;
  /** Milliseconds between heartbeats; three that stay away end the stream. */
  readonly heartbeat?: number;
}

/** Milliseconds that a message may have taken: clocks that seem to differ by less are the same. */
const ON_THE_WAY = 1000;
/** Milliseconds that a follower has for a dry run: longer than its data plane. */
const EXPLAIN_TIMEOUT = 9000;

/** Listener for the identity and the end of a stream. */
export interface FollowerListener {
  named(controller: string): void;
  gone(controller: string): void;
}

interface FollowedPlane {
  readonly running: Map<string, string>;
  readonly problems: Map<string, RouteProblems>;
  facts: PlaneFacts;
}

/** One stream from one follower: what it says of its planes goes into the ledger. */
export class PeerFollower {
  private readonly options: PeerFollowerOptions;
  private readonly stream: MessageStream;
  private readonly clock: Clock;
  private readonly tell: FollowerListener;
  private readonly planes = new Map<string, FollowedPlane>();
  private name: string | null = null;
  /** Milliseconds that our clock is ahead of the follower's. */
  private ahead = 0;
  private heardAt: number;
  private beating: (() => void) | null = null;
  private leaveNotices: () => void = () => undefined;
  private explains = false;
  private readonly explaining: AwaitedDryRuns;

  constructor(options: PeerFollowerOptions, stream: MessageStream, tell: FollowerListener) {
    this.options = options;
    this.stream = stream;
    this.tell = tell;
    this.clock = options.clock ?? systemClock;
    this.explaining = new AwaitedDryRuns(this.clock);
    this.heardAt = this.clock.steady();
    stream.listen(
      (bytes) => this.receive(bytes),
      () => this.closed(),
    );
    if (!stream.signal.aborted) this.beat();
  }

  end(code: Parameters<MessageStream['fail']>[0], details: string): void {
    this.stream.fail(code, details);
  }

  /** Asks it for a dry run on one of its data planes; null for a controller of an older version. */
  explain(question: DryRunQuestion): Promise<DryRunAnswer> | null {
    if (!this.explains || this.stream.signal.aborted) return null;
    return this.explaining.ask(
      EXPLAIN_TIMEOUT,
      () => unanswered(this.name),
      (number) => void this.stream.send(encodePeerMessage({ type: 'explain', number, question })),
    );
  }

  private beat(): void {
    const every = this.options.heartbeat ?? 4000;
    this.beating = this.clock.after(every, () => {
      if (!this.options.isLeader()) this.end('FAILED_PRECONDITION', 'this controller is no longer the leader');
      else if (this.clock.steady() - this.heardAt > 3 * every) this.end('UNAVAILABLE', 'the follower is silent');
      if (this.stream.signal.aborted) return;
      if (!this.stream.isBusy) void this.stream.send(Buffer.from('{"type":"heartbeat"}'));
      this.beat();
    });
  }

  private receive(bytes: Buffer): void {
    this.heardAt = this.clock.steady();
    const message = decodePeerMessage(bytes);
    if (message?.type === 'heartbeat') return;
    if (message === null) this.end('INVALID_ARGUMENT', 'the message is of an unknown kind');
    else if (message.type === 'peer') this.introduce(message);
    else if (this.name === null) this.end('INVALID_ARGUMENT', 'the first message of a stream must name its sender');
    else if (message.type === 'plane') this.takePlane(message, this.name);
    else if (message.type === 'report') this.takeReport(message);
    else if (message.type === 'explained') this.explaining.answer(message.number, message.answer);
    else if (message.type === 'notice') this.options.notices?.receive(message.scope, message.entries, this.notify);
    else if (message.type === 'refresh') this.options.notices?.refresh(message.scope, message, this.notify);
    else if (this.planes.delete(message.plane)) this.options.ledger.left(message.plane, this.name);
  }

  private introduce({ protocol, controller: name, clock, explains }: PeerHello): void {
    if (protocol !== PEER_PROTOCOL) {
      this.end('FAILED_PRECONDITION', `this controller speaks version ${PEER_PROTOCOL}, not ${protocol}`);
      return;
    }
    if (this.name !== null || name === this.options.controller) {
      this.end('INVALID_ARGUMENT', 'the follower has the name of this controller, or introduced itself twice');
      return;
    }
    this.name = name;
    this.explains = explains === true;
    const ahead = this.clock.wall() - clock;
    this.ahead = Math.abs(ahead) < ON_THE_WAY ? 0 : ahead;
    this.tell.named(name);
    this.options.told?.(`controller ${name} follows this leader`);
    const { notices } = this.options;
    const terms = notices === undefined ? {} : { notices: NOTICE_KINDS };
    void this.stream.send(encodePeerMessage({ type: 'heartbeat', ...terms }));
    if (notices !== undefined) this.leaveNotices = notices.addController(this.notify);
  }

  private readonly notify: NoticeReceiver = {
    ended: (scope, entries) => {
      for (const message of noticeMessages(scope, entries)) void this.stream.send(encodePeerMessage(message));
    },
    refresh: (scope, news) => {
      void this.stream.send(encodePeerMessage({ ...news, scope })); // an older one ignores what it does not know
      return true;
    },
  };

  private takePlane(message: ForwardedPlane, controller: string): void {
    const { identity, version, units, explains, revision, full, routes } = message;
    const connectedSince = message.connectedSince + this.ahead;
    const pending = message.pending && { ...message.pending, sentAt: message.pending.sentAt + this.ahead };
    const known = full ? undefined : this.planes.get(identity.id);
    const running = known?.running ?? new Map<string, string>();
    const problems: FollowedPlane['problems'] = known?.problems ?? new Map();
    for (const [key, hash, problem] of routes) {
      if (hash === null) running.delete(key);
      else running.set(key, hash);
      if (problem === null) problems.delete(key);
      else problems.set(key, problem);
    }
    const lastReport = this.planes.get(identity.id)?.facts.lastReport ?? null;
    const optional = { ...(units !== undefined && { units }), ...(explains && { explains }) };
    const stream = { identity, controller, connectedSince, version, ...optional };
    const facts = { ...stream, pending, revision, running, problems, lastReport };
    this.planes.set(identity.id, { running, problems, facts });
    this.options.ledger.heard(facts, full ? null : routes.map(([key]) => key));
  }

  private takeReport({ plane, at, report }: ForwardedReport): void {
    const known = this.planes.get(plane);
    if (known === undefined) return;
    const before = known.facts.lastReport?.report;
    known.facts = { ...known.facts, lastReport: { at: at + this.ahead, report } };
    this.options.ledger.heard(known.facts, changedTroubles(before, report));
  }

  private closed(): void {
    this.beating?.();
    this.leaveNotices();
    this.explaining.end(unanswered(this.name));
    if (this.name === null) return;
    this.tell.gone(this.name);
    this.options.told?.(`controller ${this.name} no longer follows this leader`);
    for (const plane of this.planes.keys()) this.options.ledger.left(plane, this.name);
  }
}

function unanswered(controller: string | null): DryRunAnswer {
  return { failure: 'failed', message: `the controller '${controller}', which has the data plane, did not answer` };
}
