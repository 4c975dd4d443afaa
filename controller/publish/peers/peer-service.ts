import type { ServerDuplexStream } from '@grpc/grpc-js';
import { MessageStream } from '../channel/message-stream.ts';
import { type DryRunAnswer, type DryRunQuestion, dryRunQuestion, failedDryRun } from '../dry-run-question.ts';
import { PeerDryRuns, type PeerDryRunsOptions } from './peer-dry-runs.ts';
import { PeerFollower, type PeerFollowerOptions } from './peer-follower.ts';
import { PEER_DRY_RUN_METHOD, PEER_METHOD, PEER_PLANES_METHOD, PEER_ROUTES_METHOD } from './peer-messages.ts';

export interface PeerServiceOptions extends PeerFollowerOptions {
  /** What a follower shows of all planes. */
  planes(): readonly object[];
  /** What a follower shows of Routes on all planes. */
  routes(): readonly object[];
  /** Whether this token is a controller's. Rejects when that cannot be found out, which counts as no. */
  authenticate(token: string): Promise<boolean>;
  /** Data planes of this controller. */
  readonly sessions: PeerDryRunsOptions['sessions'];
  /** Asks the leader something, as a follower. @throws Error */
  askLeader(method: string, question: Buffer): Promise<Buffer>;
}

const LONGEST_QUESTION = 4 * 1024 * 1024;
const QUESTION_TIMEOUT = 5000;

/** Takes what followers say of their planes into the ledger, as long as this controller leads. */
export class PeerService {
  /** What answers `PEER_METHOD`, `PEER_PLANES_METHOD` and `PEER_ROUTES_METHOD`. */
  readonly handlers = {
    forward: (call: ServerDuplexStream<Buffer, Buffer>): void => void this.accept(call),
    planes: (call: ServerDuplexStream<Buffer, Buffer>): void => void this.answer(call, () => this.options.planes()),
    routes: (call: ServerDuplexStream<Buffer, Buffer>): void => void this.answer(call, () => this.options.routes()),
    dryRun: (call: ServerDuplexStream<Buffer, Buffer>): void => void this.answerDryRun(call),
  };
  /** The same by the names of the methods. */
  readonly methods = {
    [PEER_METHOD]: this.handlers.forward,
    [PEER_PLANES_METHOD]: this.handlers.planes,
    [PEER_ROUTES_METHOD]: this.handlers.routes,
    [PEER_DRY_RUN_METHOD]: this.handlers.dryRun,
  };
  /** Dry runs on the data planes of all controllers. */
  readonly dryRuns: PeerDryRuns;
  private readonly options: PeerServiceOptions;
  private readonly followers = new Map<string, PeerFollower>();

  constructor(options: PeerServiceOptions) {
    this.options = options;
    const { controller, ledger, sessions } = options;
    this.dryRuns = new PeerDryRuns({
      ...{ controller, ledger, sessions, isLeader: () => options.isLeader() },
      askFollower: (follower, question) => this.followers.get(follower)?.explain(question) ?? null,
      askLeader: (question) => options.askLeader(PEER_DRY_RUN_METHOD, Buffer.from(JSON.stringify(question))),
    });
  }

  /** Names of the controllers that follow. */
  get controllers(): readonly string[] {
    return [...this.followers.keys()];
  }

  /** Ends all streams: this controller does not lead any more, or stops. */
  disband(): void {
    for (const follower of [...this.followers.values()])
      follower.end('FAILED_PRECONDITION', 'this controller is no longer the leader');
  }

  private async accept(call: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
    const stream = await this.admitted(call);
    if (stream === null) return;
    const follower = new PeerFollower(this.options, stream, {
      named: (name) => this.take(name, follower),
      gone: (name) => {
        if (this.followers.get(name) === follower) this.followers.delete(name);
      },
    });
  }

  private async answer(call: ServerDuplexStream<Buffer, Buffer>, content: () => readonly object[]): Promise<void> {
    const stream = await this.admitted(call);
    if (stream === null) return;
    await stream.send(Buffer.from(JSON.stringify(content())));
    stream.end();
  }

  private async answerDryRun(call: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
    const stream = await this.admitted(call);
    if (stream === null) return;
    const bytes = await stream.first(QUESTION_TIMEOUT);
    if (bytes === null) {
      stream.fail('DEADLINE_EXCEEDED', 'no question came');
      return;
    }
    await stream.send(Buffer.from(JSON.stringify(await this.explained(bytes))));
    stream.end();
  }

  private async explained(bytes: Buffer): Promise<DryRunAnswer> {
    const question = bytes.length > LONGEST_QUESTION ? null : readQuestion(bytes);
    if (question === null) return { failure: 'failed', message: 'the leader does not understand the question' };
    return this.dryRuns.answer(question).catch(failedDryRun);
  }

  /** @returns null when it is no controller's, or this controller does not lead */
  private async admitted(call: ServerDuplexStream<Buffer, Buffer>): Promise<MessageStream | null> {
    const stream = new MessageStream(call);
    const [header] = call.metadata.get('authorization');
    const token = /^Bearer (\S+)$/.exec(String(header ?? ''))?.[1];
    const isKnown = token !== undefined && (await this.options.authenticate(token).catch(() => false));
    if (!isKnown) {
      stream.fail('UNAUTHENTICATED', 'only controllers may connect here');
      return null;
    }
    if (!this.options.isLeader()) {
      stream.fail('FAILED_PRECONDITION', 'this controller is not the leader');
      return null;
    }
    return stream;
  }

  /** A follower that comes back has given its stream up, even if that is not known here yet. */
  private take(name: string, follower: PeerFollower): void {
    this.followers.get(name)?.end('ABORTED', 'there is a newer stream');
    this.followers.set(name, follower);
  }
}

function readQuestion(bytes: Buffer): DryRunQuestion | null {
  try {
    return dryRunQuestion.safeParse(JSON.parse(bytes.toString())).data ?? null;
  } catch {
    return null;
  }
}
