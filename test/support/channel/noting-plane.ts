import type { Update } from '../../../contract/snapshot.ts';
import type { BuildProblem } from '../../../dataplane/routes/configuration.ts';
import type { PreparedPlane } from '../../../dataplane/supervisor/plane.ts';
import { PlaneNotices } from '../../../dataplane/supervisor/plane-notices.ts';

/** A plane that notes what it is asked for, and answers with what is set as `problems`. */
export class NotingPlane implements PreparedPlane {
  readonly notices = new PlaneNotices(() => []);
  readonly addresses = [];
  readonly adminAddress = undefined;
  readonly closed = Promise.resolve();
  readonly ready = true;
  readonly unitsServing = 1;
  problems: readonly BuildProblem[] = [];
  failure: Error | null = null;
  begun = 0;
  readonly applied: Update[] = [];

  prepareUnits(): void {}
  async serve(): Promise<readonly BuildProblem[]> {
    this.begun++;
    if (this.failure !== null) throw this.failure;
    return this.problems;
  }
  async applyWhole(update: Update): Promise<readonly BuildProblem[]> {
    this.applied.push(update);
    return this.problems;
  }
  apply(update: Update): Promise<readonly BuildProblem[]> {
    return this.applyWhole(update);
  }
  forbid(): void {}
  dryRun(): Promise<never> {
    return Promise.reject(new Error('no gateway unit serves'));
  }
  report(): { readonly routes: [] } {
    return { routes: [] };
  }
  async dismiss(): Promise<void> {}
  async drain(): Promise<void> {}
}
