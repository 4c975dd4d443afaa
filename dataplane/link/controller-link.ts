import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  type Ack,
  CHANNEL_PROTOCOL,
  type Hello,
  type Nack,
  NOTICE_KINDS,
  type Notice,
  type Recall,
  type RefreshNews,
  type Report,
  type RouteProblems,
  type Welcome,
} from '../../contract/channel.ts';
import { inNotices } from '../../contract/notice-log.ts';
import type { RouteEntry } from '../../contract/snapshot.ts';
import { BackOff } from '../../platform/back-off.ts';
import { errorText } from '../../platform/error-text.ts';
import type { PlaneNotices } from '../supervisor/plane-notices.ts';
import { ChannelStream } from './channel-stream.ts';
import type { ControllerAddresses } from './controller-addresses.ts';
import { type ExplainingPlane, explainedAnswer } from './explained-answer.ts';
import { type LinkFiles, linkCredentials, type ToldBeside } from './link-credentials.ts';
import type { WholeUpdate } from './newest-update.ts';
import { toldAuthorities } from './told-authorities.ts';
import type { NumberedUpdate } from './update-parts.ts';

/** Outcome of an update. */
export type Outcome =
  | { readonly taken: true; readonly problems: readonly RouteProblems[]; readonly newer: Ack['newer'] }
  | { readonly taken: false; readonly problems: readonly RouteProblems[] };

/** The plane, as its link sees it. */
export interface LinkedPlane extends ExplainingPlane {
  hello(): Omit<Hello, 'type' | 'protocol'>;
  /** Runs an update, or leaves everything as it was. Only one is given at a time. */
  apply(update: WholeUpdate): Promise<Outcome>;
  /** The routes of these that are held in exactly this version. */
  recall(routes: Recall['routes']): readonly RouteEntry[];
  /** A controller accepted the plane and is about to send what is new. */
  welcomed?(): void;
  /** Every address of controllers was tried in vain. */
  unreachable?(): void;
  /** Sessions that ended before their time, on this plane and others; missing where nobody has to know. */
  readonly notices?: Pick<PlaneNotices, 'all' | 'announceTo' | 'receive' | 'refresh'>;
  /** @param isStoodBy whether the controller that hears it stands by what it told, and did not send the plane away */
  report(isStoodBy: boolean): Omit<Report, 'type'>;
}

export interface ControllerLinkOptions {
  readonly addresses: ControllerAddresses;
  readonly files: LinkFiles;
  readonly plane: LinkedPlane;
  readonly log: Logger;
  /** Milliseconds, at most, before the second attempt to connect, and before any; doubled in between. */
  readonly retry?: { readonly first: number; readonly longest: number };
  /** From 0 to 1; by default random. */
  random?(): number;
}

/** A stream that a controller accepted. */
interface WelcomedStream {
  readonly stream: ChannelStream;
  readonly since: number;
  /** Kinds of notices that its controller passes on. */
  readonly notices: readonly string[];
}

/** How a link fares. */
export interface LinkState {
  readonly connected: boolean;
  /** Whether it is connected to a controller that did not tell it to look for another one. */
  readonly stoodBy: boolean;
  /** Name and address of the controller that was connected last. */
  readonly controller: string | null;
  readonly address: string | null;
  /** Who the controller takes the plane for. */
  readonly plane: string | null;
  readonly group: string | null;
  /** When a controller was last heard of, in milliseconds since 1970. */
  readonly lastContact: number | null;
  readonly reconnects: number;
  /** Why the last attempt failed or the last stream ended. */
  readonly lastFailure: string | null;
}

const RETRY = { first: 250, longest: 5000 };
/** A stream that lived for so many milliseconds was a good one: what comes after it begins anew. */
const GOOD_LIFE = 10_000;
/** Milliseconds that a stream waits for an update of the one before it. */
const LONGEST_WAIT = 5000;
/** Milliseconds between two lines that say that no controller can be reached. */
const TELL_INTERVAL = 60_000;

/** The stream between a plane and a controller, for as long as the plane lives: whatever ends one, the next is tried. */
export class ControllerLink {
  private readonly options: ControllerLinkOptions;
  private readonly log: Logger;
  /** The stream that counts. */
  private stream: ChannelStream | null = null;
  /** One that goes away once another is there. */
  private leaving: ChannelStream | null = null;
  /** The one that was welcomed last, while it lives, and since when. */
  private welcomedStream: WelcomedStream | null = null;
  private reporting: NodeJS.Timeout | null = null;
  /** Whether the last report said that the plane is ready. */
  private toldReady = false;
  private retry: NodeJS.Timeout | null = null;
  private applying: Promise<void> = Promise.resolve();
  /** What the controller that was connected last told of authorities. */
  private authorities: ToldBeside | null = null;
  private readonly backOff: BackOff;
  private told = Number.NEGATIVE_INFINITY;
  private isClosed = false;
  private facts: Omit<LinkState, 'stoodBy'> = {
    connected: false,
    controller: null,
    address: null,
    plane: null,
    group: null,
    lastContact: null,
    reconnects: -1,
    lastFailure: null,
  };

  constructor(options: ControllerLinkOptions) {
    this.options = options;
    this.log = options.log;
    const { retry = RETRY, random = Math.random } = options;
    this.backOff = new BackOff({ ...retry, jitter: 1, random });
  }

  get state(): LinkState {
    const { connected, lastContact, reconnects } = this.facts;
    return {
      ...this.facts,
      stoodBy: connected && this.welcomedStream?.stream !== this.leaving,
      lastContact: connected ? Date.now() : lastContact,
      reconnects: Math.max(0, reconnects),
    };
  }

  start(): void {
    this.options.plane.notices?.announceTo({
      ended: (entries) => this.tellNotices(entries),
      refresh: (news) => this.tellRefresh(news),
    });
    void this.connect();
  }

  /** Ends the stream and tries no other. */
  close(): void {
    this.isClosed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    this.leaving?.close('the data plane is stopping');
    this.stream?.close('the data plane is stopping');
  }

  private async connect(): Promise<void> {
    const { addresses, files, plane } = this.options;
    this.retry = null;
    try {
      const endpoint = await addresses.next();
      const credentials = await linkCredentials(files, endpoint.host, this.authorities);
      // what is held is told as it will be, unless that takes too long
      await Promise.race([this.applying, setTimeoutPromise(LONGEST_WAIT, undefined, { ref: false })]);
      if (this.isClosed) return;
      const takes = {
        ...(plane.notices !== undefined && { notices: NOTICE_KINDS }),
        ...(plane.explain !== undefined && { explains: true as const }),
      };
      const hello: Hello = { type: 'hello', protocol: CHANNEL_PROTOCOL, ...plane.hello(), ...takes };
      const stream: ChannelStream = new ChannelStream(endpoint, credentials, hello, {
        welcomed: (welcome) => this.welcomed(stream, welcome, credentials.own),
        update: (update) => this.update(stream, update),
        recall: ({ routes }) => stream.send({ type: 'recalled', routes: plane.recall(routes) }),
        explain: (asked) => void explainedAnswer(plane, asked).then((answer) => stream.send(answer)),
        noticed: (entries) => plane.notices?.receive(entries),
        refresh: (news) => plane.notices?.refresh(news),
        goingAway: (reason) => this.goingAway(stream, reason),
        closed: (reason) => this.closed(stream, reason),
      });
      this.stream = stream;
    } catch (error) {
      this.failed(errorText(error));
    }
  }

  private welcomed(stream: ChannelStream, welcome: Welcome, own: string | null): void {
    const { controller, plane, group, heartbeat } = welcome;
    const address = `${stream.endpoint.address}:${stream.endpoint.port}`;
    const { reconnects } = this.facts;
    this.facts = {
      connected: true,
      controller,
      address,
      plane,
      group,
      lastContact: Date.now(),
      reconnects: reconnects + 1,
      lastFailure: null,
    };
    this.welcomedStream = { stream, since: performance.now(), notices: welcome.notices ?? [] };
    this.options.plane.welcomed?.();
    this.told = Number.NEGATIVE_INFINITY;
    this.log.info({ controller, address, plane, group, heartbeat }, 'connected to a controller');
    this.trust(welcome.authorities, own);
    this.leaving?.close('replaced by another stream');
    this.leaving = null;
    if (this.reporting !== null) clearInterval(this.reporting);
    this.report(stream);
    this.tellNotices(this.options.plane.notices?.all() ?? []); // this controller may have been started since
    this.reporting = setInterval(() => this.report(stream), welcome.report);
  }

  /** What is no bundle of authorities changes nothing: the stream itself is a good one. */
  private trust(told: string | undefined, own: string | null): void {
    if (told === undefined) return;
    try {
      this.authorities = { authorities: toldAuthorities(told), own };
    } catch (error) {
      this.log.warn({ error: String(error) }, 'CA certificates sent by the controller are not usable');
    }
  }

  private tellNotices(all: Notice['entries']): void {
    const { stream, notices } = this.welcomedStream ?? {};
    if (stream === undefined || notices?.includes('ended-session') !== true) return; // told with the next stream
    for (const entries of inNotices(all)) stream.send({ type: 'notice', kind: 'ended-session', entries });
  }

  private tellRefresh(news: RefreshNews): boolean {
    const { stream, notices } = this.welcomedStream ?? {};
    if (stream?.isWritable !== true || notices?.includes('refresh') !== true) return false;
    stream.send(news);
    return true;
  }

  private report(stream: ChannelStream): void {
    if (!stream.isWritable) return;
    try {
      const report = this.options.plane.report(stream !== this.leaving);
      this.toldReady = report.ready;
      stream.send({ type: 'report', ...report });
    } catch (error) {
      // the plane serves, whatever its figures are like; the next report may do
      this.log.error({ error: String(error) }, 'report to the controller failed');
    }
  }

  private update(stream: ChannelStream, { nonce, update }: NumberedUpdate): void {
    if (stream === this.leaving) return; // the next stream has it
    const { revision } = update;
    this.applying = this.applying.then(async () => {
      const begun = performance.now();
      const outcome = await this.options.plane.apply(update).catch(unexpected);
      const milliseconds = Math.round(performance.now() - begun);
      const { problems } = outcome;
      if (outcome.taken) {
        const { newer } = outcome;
        stream.send({ type: 'ack', nonce, revision, problems, newer } satisfies Ack);
        this.tellTaken(update, outcome, milliseconds);
        // that it serves is not left for the next report to tell
        if (!this.toldReady) this.report(stream);
      } else {
        stream.send({ type: 'nack', nonce, revision, problems } satisfies Nack);
        this.log.error(
          { revision, problems: shown(problems) },
          'revision rejected; the previous revision stays in effect',
        );
      }
    });
  }

  private tellTaken(
    update: WholeUpdate,
    { problems, newer: kept }: Extract<Outcome, { taken: true }>,
    milliseconds: number,
  ): void {
    const { revision, set: routes, remove: gone, full, resources: shared } = update;
    const resources = (shared?.set.length ?? 0) + (shared?.remove.length ?? 0);
    const [set, remove, newer] = [routes.length, gone.length, kept.length];
    const counts = { revision, full, set, remove, resources, newer, milliseconds };
    // Pods come and go all the time
    if (problems.length === 0 && hasOnlyEndpoints(update)) this.log.debug(counts, 'endpoints of Services changed');
    else if (problems.length === 0) this.log.info(counts, 'revision applied');
    else this.log.error({ ...counts, problems: shown(problems) }, 'revision applied; some routes failed to build');
  }

  /** Another stream is opened first, so that the plane is never out of sight. */
  private goingAway(stream: ChannelStream, reason: string): void {
    if (stream !== this.stream || this.isClosed) return;
    this.log.info({ reason }, 'controller asked to reconnect; opening another stream');
    this.leaving?.close('replaced by another stream');
    this.leaving = stream;
    this.stream = null;
    this.options.addresses.again();
    this.connectLater();
  }

  private closed(stream: ChannelStream, reason: string): void {
    if (stream === this.welcomedStream?.stream) this.disconnected(this.welcomedStream.since);
    if (stream === this.leaving) this.leaving = null;
    if (stream !== this.stream) return;
    this.stream = null;
    this.failed(reason);
  }

  private disconnected(since: number): void {
    if (this.reporting !== null) clearInterval(this.reporting);
    this.reporting = null;
    this.welcomedStream = null;
    if (performance.now() - since > GOOD_LIFE) this.backOff.reset();
    this.facts = { ...this.facts, connected: false, lastContact: Date.now() };
  }

  private failed(reason: string): void {
    if (this.isClosed) return;
    this.facts = { ...this.facts, lastFailure: reason };
    const { addresses, plane } = this.options;
    if (!this.facts.connected && addresses.isRoundOver) plane.unreachable?.();
    if (!this.facts.connected && performance.now() - this.told > TELL_INTERVAL) {
      this.told = performance.now();
      const { controller, lastContact } = this.facts;
      const seconds = lastContact === null ? null : Math.round((Date.now() - lastContact) / 1000);
      const isEmpty = plane.hello().holds.revision === null;
      const serves = isEmpty ? 'no configuration to serve yet' : 'still serving the last revision';
      this.log.warn({ reason, controller, secondsAgo: seconds }, `no controller connected; ${serves}`);
    }
    this.connectLater();
  }

  private connectLater(): void {
    if (this.retry !== null || this.isClosed) return;
    this.retry = setTimeout(() => void this.connect(), this.backOff.next());
  }
}

/** A fault of the program leaves everything as it was, as far as anybody can tell. */
function unexpected(error: unknown): Outcome {
  const message = errorText(error);
  const problem = { code: 'build', severity: 'error', path: [], message } as const;
  return { taken: false, problems: [{ route: null, problems: [problem], keepsServing: true }] };
}

function shown(problems: readonly RouteProblems[]): object[] {
  return problems.slice(0, 10).map(({ route, problems, keepsServing }) => ({
    route: route?.id ?? 'config.json',
    keepsServing,
    message: problems[0]?.message ?? '',
  }));
}

/** Whether an update brings nothing but endpoints of Services. */
function hasOnlyEndpoints({ base, set, remove, full, resources }: WholeUpdate): boolean {
  if (full || base !== null || set.length + remove.length > 0 || resources === undefined) return false;
  return resources.remove.length === 0 && resources.set.every(({ type }) => type === 'service-endpoints');
}
