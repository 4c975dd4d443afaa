import type { Logger } from 'pino';

type Release = () => void | Promise<void>;

/** A built object that several heaps may hold, one after the other. */
export interface Survivor {
  readonly built: unknown;
  /** Gives it back. The last holder closes it. */
  release(): Promise<void>;
}

interface Entry {
  readonly built: unknown;
  readonly releases: Release[];
  holders: number;
}

/** Creates an object; `onClose` says how to close it. */
export type CreateSurvivor = (onClose: (release: Release) => void) => unknown;

/**
 * Built objects by everything that they are made of. An object whose key is unchanged after an update is the same
 * object: it keeps its connections, caches and counts.
 */
export class Survivors {
  private readonly entries = new Map<string, Entry>();
  private readonly log: Logger;

  constructor(log: Logger) {
    this.log = log;
  }

  /** Number of objects that somebody holds. */
  get size(): number {
    return this.entries.size;
  }

  /** Holds the object of this key, which is created if nobody holds it. What `create` throws leaves nothing behind. */
  take(key: string, create: CreateSurvivor): Survivor {
    const entry = this.entries.get(key) ?? this.created(key, create);
    entry.holders++;
    let isHeld = true;
    return {
      built: entry.built,
      release: async () => {
        if (!isHeld) return;
        isHeld = false;
        entry.holders--;
        if (entry.holders > 0) return;
        this.entries.delete(key);
        await this.close(entry.releases);
      },
    };
  }

  private created(key: string, create: CreateSurvivor): Entry {
    const releases: Release[] = [];
    try {
      const entry = { built: create((release) => releases.push(release)), releases, holders: 0 };
      this.entries.set(key, entry);
      return entry;
    } catch (error) {
      void this.close(releases);
      throw error;
    }
  }

  /** Every release runs, the last one first, whatever others do. */
  private async close(releases: Release[]): Promise<void> {
    for (const release of releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        this.log.error({ err: error }, 'an object failed to close');
      }
    }
  }
}
