import type { RefreshNews } from '../../../contract/channel.ts';
import type { RefreshExchange } from '../../../dataplane/heap/plane-services.ts';

/** Tells planes of one process about refreshes as a leader does: all of them, in one order, and later. */
export class RefreshHub {
  readonly told: RefreshNews[] = [];
  /** Whether what planes say arrives nowhere, though they do not know it. */
  isLost = false;
  /** Whether planes know that they can tell nobody. */
  isAway = false;
  /** What another plane said just before. */
  ahead: ((news: RefreshNews) => RefreshNews | null) | null = null;
  private readonly listeners = new Set<(news: RefreshNews) => void>();

  /** The way of one plane to the others. */
  member(): RefreshExchange {
    return {
      tell: async (news) => {
        if (this.isAway) return false;
        if (this.isLost) return true;
        const earlier = this.ahead?.(news) ?? null;
        const all = earlier === null ? [news] : [earlier, news];
        this.told.push(...all);
        setImmediate(() => {
          for (const one of all) for (const listener of this.listeners) listener(one);
        });
        return true;
      },
      hear: (_, listener) => {
        this.listeners.add(listener);
        return () => void this.listeners.delete(listener);
      },
    };
  }
}
