import type { ControllerMessage, Notice, RefreshNews } from '../../../contract/channel.ts';
import { inNotices } from '../../../contract/notice-log.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { RefillingBudget } from '../../../platform/refilling-budget.ts';
import { noticeBudget } from '../channel/notice-budget.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import { type NoticeReceiver, type NoticeRelay, noticeScope } from '../notice-relay.ts';

export interface SessionNoticesOptions {
  readonly relay: NoticeRelay;
  readonly identity: PlaneIdentity;
  /** Kinds of notices that the plane takes. */
  readonly kinds: readonly string[];
  readonly clock: Clock;
  send(message: ControllerMessage): void;
  /** @param dropped entries that are not passed on, because the plane sends too many */
  tooMany(dropped: number): void;
}

/** What one plane and the others of its group tell each other. */
export class SessionNotices implements NoticeReceiver {
  private readonly options: SessionNoticesOptions;
  /** That of the credential: a plane says nothing to planes of another group. */
  private readonly scope: string;
  private readonly endedBudget: RefillingBudget;
  private readonly refreshBudget: RefillingBudget;
  private leaveRelay: () => void = () => undefined;

  constructor(options: SessionNoticesOptions) {
    this.options = options;
    this.scope = noticeScope(options.identity);
    this.endedBudget = noticeBudget(options.clock);
    this.refreshBudget = noticeBudget(options.clock);
  }

  /** From now on the plane hears the others. */
  join(): void {
    const { relay, kinds } = this.options;
    if (kinds.includes('ended-session')) this.leaveRelay = relay.addPlane(this.scope, this);
  }

  leave(): void {
    this.leaveRelay();
  }

  /** The plane said something. */
  take(message: Notice | RefreshNews): void {
    const { relay, tooMany } = this.options;
    if (message.type === 'refresh') {
      if (this.refreshBudget.take(1)) relay.refresh(this.scope, message, this);
      return;
    }
    const { entries } = message;
    const taken = this.endedBudget.takeUpTo(entries.length);
    if (taken < entries.length) tooMany(entries.length - taken);
    relay.receive(this.scope, entries.slice(0, taken), this);
  }

  ended(_scope: string, entries: Notice['entries']): void {
    for (const piece of inNotices(entries)) {
      this.options.send({ type: 'notice', kind: 'ended-session', entries: piece });
    }
  }

  refresh(_scope: string, news: RefreshNews): boolean {
    const { kinds, send } = this.options;
    const isTaken = kinds.includes('refresh');
    if (isTaken) send(news);
    return isTaken;
  }
}
