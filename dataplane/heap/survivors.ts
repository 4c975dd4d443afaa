import type { Logger } from 'pino';
import { type Release, releaseAll } from './release-all.ts';

/** A built object that several heaps may hold, one after the other. */
export interface Survivor {
  readonly built: unknown;
  /** Gives it back. The last holder closes it. */
  readonly release: () => Promise<void>;
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
        await releaseAll(entry.releases, this.log, null);
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
      void releaseAll(releases, this.log, null);
      throw error;
    }
  }
}
