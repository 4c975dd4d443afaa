import type { Logger } from 'pino';

/** Gives back what an object holds. */
export type Release = () => void | Promise<void>;

/** Runs and forgets all releases, the last one first, whatever others do. A failure is logged for this scope. */
export async function releaseAll(releases: Release[], log: Logger, scope: string | null): Promise<void> {
  for (const release of releases.splice(0).reverse()) {
    try {
      await release();
    } catch (error) {
      log.error({ err: error, ...(scope !== null && { scope }) }, 'could not close an object');
    }
  }
}
