import type { Logger } from 'pino';
import type { DescribedRequest, Hello, Recall, Report, RouteProblems } from '../../contract/channel.ts';
import { canonicalJson } from '../../contract/document/canonical.ts';
import type { Problem } from '../../contract/problem.ts';
import { pathText } from '../../contract/problem.ts';
import { type SharedResources, withNamedResources } from '../../contract/shared-resources.ts';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import { type RouteEntry, type RouteKey, routeKeyText, type Update } from '../../contract/snapshot.ts';
import { errorText } from '../../platform/error-text.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import { CannotListen } from '../supervisor/cannot-listen.ts';
import type { PlaneBeginning, PreparedPlane } from '../supervisor/plane.ts';
import { isBaseBad } from '../supervisor/plane-configuration.ts';
import type { LinkedPlane, Outcome } from './controller-link.ts';
import { builtHolding, type Holding, heldBy } from './holding.ts';
import { newestUpdate, type WholeUpdate } from './newest-update.ts';
import type { SealedSnapshot } from './sealed-snapshot.ts';

export interface PlaneFollowerOptions {
  readonly plane: PreparedPlane;
  /** How to begin to serve a snapshot, or what is wrong with the settings in it. */
  begin(holding: Holding): PlaneBeginning | readonly Problem[];
  /** Null where nothing is kept. */
  readonly file: SealedSnapshot | null;
  /** What the plane says of itself. */
  readonly about: Omit<Hello, 'type' | 'protocol' | 'holds'>;
  readonly log: Logger;
  /**
   * Milliseconds at the start before what is on disk is served: for a controller to accept the plane, by default a
   * second, and then for its update, by default two. Nothing is waited for when no address of a controller answers.
   */
  readonly patience?: { readonly contact: number; readonly update: number };
  /** Milliseconds that an acknowledgement waits for the disk; by default five seconds. */
  readonly diskPatience?: number;
  /** Milliseconds after which what is on disk is dated anew while a controller is connected; by default half an hour. */
  readonly freshness?: number;
}

const PATIENCE = { contact: 1000, update: 2000 };
/** Milliseconds before what could not be served at the start is tried again. */
const RETRY = 5000;

/** A plane that runs what controllers send, and keeps it for a start without one. */
export class PlaneFollower implements LinkedPlane {
  readonly updates = { taken: 0, refused: 0 };
  /** When a controller last stood by what is held, in milliseconds since 1970. */
  confirmed: number | null = null;
  private readonly options: PlaneFollowerOptions;
  private readonly since = new Date().toISOString();
  private held: Holding | null = null;
  private isServing = false;
  /** Whether what is on disk is about to be served unless a controller sends something. */
  private isWaiting = false;
  private kept = 0;
  /** `admin.json` as it was when the plane began to serve, and as it was last told to have changed. */
  private admin = '';
  private timer: NodeJS.Timeout | null = null;
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: PlaneFollowerOptions) {
    this.options = options;
  }

  /** What runs; null before the first accepted snapshot. */
  get revision(): string | null {
    return this.isServing ? (this.held?.revision ?? null) : null;
  }

  get notices(): PreparedPlane['notices'] {
    return this.options.plane.notices;
  }

  /** Reads what is on disk, and serves it if no controller says anything for a while. */
  async start(): Promise<void> {
    const found = (await this.options.file?.read()) ?? null;
    if (found === null) return;
    this.held = found.holding;
    this.confirmed = found.time;
    this.serveHeldIn(this.patience.contact);
  }

  welcomed(): void {
    if (this.isWaiting) this.serveHeldIn(this.patience.update);
  }

  unreachable(): void {
    if (this.isWaiting) this.serveHeldIn(0);
  }

  close(): Promise<void> | undefined {
    if (this.timer !== null) clearTimeout(this.timer);
    return this.options.file?.close();
  }

  hello(): Omit<Hello, 'type' | 'protocol'> {
    return { ...this.options.about, holds: heldBy(this.held) };
  }

  apply(update: WholeUpdate): Promise<Outcome> {
    return this.inTurn(() => this.take(update));
  }

  recall(routes: Recall['routes']): readonly RouteEntry[] {
    return routes.flatMap((wanted) => {
      const entry = this.held?.routes.get(routeKeyText(wanted));
      return entry?.hash === wanted.hash ? [entry] : [];
    });
  }

  async explain(request: DescribedRequest, route: string | null): Promise<DryRun> {
    const { plane } = this.options;
    if (!plane.ready) throw new Error('the data plane is not ready');
    return plane.dryRun(request, route);
  }

  report(isStoodBy: boolean): Omit<Report, 'type'> {
    const { plane, file, freshness = 30 * 60_000 } = this.options;
    if (isStoodBy) {
      this.confirmed = Date.now();
      const isDue = Date.now() - this.kept > freshness || file?.isBehind === true;
      if (this.held !== null && this.isServing && isDue) void this.keep(this.held);
    }
    const { ready, unitsServing } = plane;
    const { revision, since, confirmed } = this;
    const memory = process.memoryUsage.rss();
    const state = { revision, ready, unitsServing, clock: Date.now(), since, memory };
    return { ...state, ...(confirmed !== null && { confirmed }), ...plane.report() };
  }

  private async take(message: WholeUpdate): Promise<Outcome> {
    const judged = newestUpdate(this.held, message);
    if (judged === null) return this.refused([baseProblem([noBase])]);
    const { update, wanted, newer, unheld } = judged;
    const problems = await this.run(update, wanted);
    if (isBaseBad(problems)) {
      // shared resources stand by themselves: units took them although they refuse the rest
      if (this.isServing && this.held !== null) this.held = withResources(this.held, wanted.resources);
      return this.refused(problems);
    }
    this.held = builtHolding(this.held, wanted, problems);
    this.confirmed = Date.now();
    this.tellAdmin(this.held);
    this.updates.taken++;
    await this.keptInTime(this.held);
    return { taken: true, problems: [...problems, ...unheld.map(notHeld)], newer };
  }

  private async run(update: Update, wanted: Holding): Promise<readonly BuildProblem[]> {
    if (!this.isServing) return this.begin(wanted);
    const { base, set, remove, defaults, resources } = update;
    const isIdle = base === null && set.length + remove.length === 0 && resources === undefined;
    const isSame = isIdle && sameTexts(defaults, this.held?.defaults ?? []);
    return isSame ? [] : this.options.plane.applyWhole(update);
  }

  private refused(problems: readonly RouteProblems[]): Outcome {
    this.updates.refused++;
    return { taken: false, problems };
  }

  /** Begins to serve. What cannot be served at all is the fault of the base. */
  private async begin(holding: Holding): Promise<readonly BuildProblem[]> {
    const beginning = this.options.begin(holding);
    if (!('connectors' in beginning)) return [baseProblem(beginning.map(ofAdmin))];
    try {
      const problems = await this.options.plane.serve(beginning);
      this.isServing = !isBaseBad(problems);
      if (this.isServing) this.admin = adminText(holding);
      return problems;
    } catch (error) {
      const at = error instanceof CannotListen && error.port !== 'admin' ? error.port : null;
      const isOfAdmin = at !== null && beginning.connectors[at]?.files === undefined;
      const path = isOfAdmin ? ['connectors', at] : [];
      const message = errorText(error);
      const port = error instanceof CannotListen ? ` (port ${error.address.port})` : '';
      const problem: Problem = { code: 'build', severity: 'error', path, message: `${message}${port}` };
      const isPlaced = message.startsWith('admin.json: ') || (at !== null && !isOfAdmin);
      return [baseProblem([isPlaced ? problem : ofAdmin(problem)])];
    }
  }

  private get patience(): { readonly contact: number; readonly update: number } {
    return this.options.patience ?? PATIENCE;
  }

  private serveHeldIn(milliseconds: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.isWaiting = true;
    this.timer = setTimeout(() => void this.inTurn(() => this.serveHeld()), milliseconds);
  }

  private async serveHeld(): Promise<void> {
    this.isWaiting = false;
    const { log } = this.options;
    const { held } = this;
    if (this.isServing || held === null) return;
    const problems = await this.begin(held);
    const { revision } = held;
    if (isBaseBad(problems)) {
      const [first] = problems.flatMap((one) => one.problems);
      log.error({ revision, reason: first?.message }, 'snapshot on disk cannot be served');
      this.serveHeldIn(RETRY);
      this.isWaiting = false; // what failed is not tried sooner
      return;
    }
    this.held = builtHolding(null, held, problems);
    const age = this.confirmed === null ? null : Math.round((Date.now() - this.confirmed) / 1000);
    log.warn({ revision, secondsOld: age }, 'no controller reachable; serving the snapshot from disk');
  }

  private keep(holding: Holding): Promise<void> {
    this.kept = Date.now();
    return this.options.file?.save(holding) ?? Promise.resolve();
  }

  /** Waits until it is on disk, because what is acknowledged must survive a crash. A disk that hangs must not stop updates. */
  private async keptInTime(holding: Holding): Promise<void> {
    const { log, diskPatience = 5000 } = this.options;
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(() => late.resolve('late'), diskPatience);
    const first = await Promise.race([this.keep(holding), late.promise]);
    clearTimeout(timer);
    if (first !== 'late') return;
    log.warn({ revision: holding.revision }, 'slow disk: update acknowledged before it was written to disk');
  }

  private tellAdmin(holding: Holding): void {
    const text = adminText(holding);
    if (text === this.admin) return;
    this.admin = text;
    this.options.log.warn('admin.json changed; the change takes effect at the next start');
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.last.then(task);
    this.last = turn.catch(() => {});
    return turn;
  }
}

/** What is held with other resources, but those that its routes name stay. */
function withResources(held: Holding, resources: SharedResources): Holding {
  return { ...held, resources: withNamedResources(resources, held.resources, held.routes.values()) };
}

const noBase: Problem = {
  code: 'missing',
  severity: 'error',
  path: [],
  message: 'the data plane has no config.json, and the update contains none',
};

function baseProblem(problems: readonly Problem[]): BuildProblem {
  return { route: null, problems, keepsServing: false };
}

function ofAdmin(problem: Problem): Problem {
  const at = pathText(problem.path);
  return { ...problem, message: `admin.json: ${at === '' ? '' : `${at}: `}${problem.message}` };
}

function notHeld(route: RouteKey): RouteProblems {
  const message = 'the version to keep is not available';
  return { route, problems: [{ code: 'missing', severity: 'error', path: [], message }], keepsServing: true };
}

function adminText({ base }: Holding): string {
  return canonicalJson(base.admin ?? {});
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
