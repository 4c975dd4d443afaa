import type { RefreshNews } from '../../contract/channel.ts';
import type { RefreshExchange } from '../heap/plane-services.ts';
import type { UnitReport } from './unit-messages.ts';

/** Exchanges news of token refreshes with other planes, through the supervisor of the unit. */
export class UnitRefreshes implements RefreshExchange {
  private readonly report: (message: UnitReport) => void;
  private readonly listeners = new Map<string, Set<(news: RefreshNews) => void>>();
  private readonly unanswered = new Map<number, (isTold: boolean) => void>();
  private last = 0;

  constructor(report: (message: UnitReport) => void) {
    this.report = report;
  }

  tell(news: RefreshNews): Promise<boolean> {
    return new Promise((resolve) => {
      this.last++;
      this.unanswered.set(this.last, resolve);
      this.report({ kind: 'refresh', number: this.last, news });
    });
  }

  hear(realm: string, listener: (news: RefreshNews) => void): () => void {
    const all = this.listeners.get(realm) ?? new Set();
    this.listeners.set(realm, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.listeners.get(realm) === all) this.listeners.delete(realm);
    };
  }

  /** The supervisor told other planes, or could not. */
  told(number: number, isTold: boolean): void {
    this.unanswered.get(number)?.(isTold);
    this.unanswered.delete(number);
  }

  /** Another plane said something. */
  receive(news: RefreshNews): void {
    for (const listener of this.listeners.get(news.realm) ?? []) {
      listener(news);
      return; // all of them share the table that it changes
    }
  }
}
