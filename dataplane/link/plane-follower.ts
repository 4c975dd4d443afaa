import type { Logger } from 'pino';
import type { Hello, Recall, Report, RouteProblems } from '../../contract/channel.ts';
import { canonicalJson } from '../../contract/document/canonical.ts';
import type { Problem } from '../../contract/problem.ts';
import { pathText } from '../../contract/problem.ts';
import { type RouteEntry, type RouteKey, routeKeyText, type Update } from '../../contract/snapshot.ts';
import { CannotListen } from '../cannot-listen.ts';
import type { PlaneBeginning, PreparedPlane } from '../plane.ts';
import { isBaseBad } from '../plane-configuration.ts';
import type { BuildProblem } from '../routes/configuration.ts';
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
  /** Milliseconds that a controller has at the start before what is on disk is served; by default two seconds. */
  readonly patience?: number;
  /** Milliseconds after which what is on disk is dated anew while a controller is connected; by default half an hour. */
  readonly freshness?: number;
}

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

  /** Reads what is on disk, and serves it if no controller says anything for a while. */
  async start(): Promise<void> {
    const found = (await this.options.file?.read()) ?? null;
    if (found === null) return;
    this.held = found.holding;
    this.confirmed = found.time;
    this.serveHeldIn(this.options.patience ?? 2000);
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

  report(isStoodBy: boolean): Omit<Report, 'type'> {
    const { plane, freshness = 30 * 60_000 } = this.options;
    if (isStoodBy) {
      this.confirmed = Date.now();
      if (this.held !== null && this.isServing && Date.now() - this.kept > freshness) this.keep(this.held);
    }
    const { ready, unitsServing } = plane;
    const { revision, since } = this;
    return { revision, ready, unitsServing, clock: Date.now(), since, routes: plane.report() };
  }

  private async take(message: WholeUpdate): Promise<Outcome> {
    const judged = newestUpdate(this.held, message);
    if (judged === null) return this.refused([baseProblem([noBase])]);
    const { update, wanted, newer, unheld } = judged;
    const problems = await this.run(update, wanted);
    if (isBaseBad(problems)) return this.refused(problems);
    this.held = builtHolding(this.held, wanted, problems);
    this.confirmed = Date.now();
    this.keep(this.held);
    this.tellAdmin(this.held);
    this.updates.taken++;
    return { taken: true, problems: [...problems, ...unheld.map(notHeld)], newer };
  }

  private async run(update: Update, wanted: Holding): Promise<readonly BuildProblem[]> {
    if (!this.isServing) return this.begin(wanted);
    const { base, set, remove, defaults } = update;
    const isSame = base === null && set.length + remove.length === 0 && sameTexts(defaults, this.held?.defaults ?? []);
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
      const message = error instanceof Error ? error.message : String(error);
      const port = error instanceof CannotListen ? ` (port ${error.address.port})` : '';
      const problem: Problem = { code: 'build', severity: 'error', path, message: `${message}${port}` };
      const isPlaced = message.startsWith('admin.json: ') || (at !== null && !isOfAdmin);
      return [baseProblem([isPlaced ? problem : ofAdmin(problem)])];
    }
  }

  private serveHeldIn(milliseconds: number): void {
    this.timer = setTimeout(() => void this.inTurn(() => this.serveHeld()), milliseconds);
  }

  private async serveHeld(): Promise<void> {
    const { log } = this.options;
    const { held } = this;
    if (this.isServing || held === null) return;
    const problems = await this.begin(held);
    const { revision } = held;
    if (isBaseBad(problems)) {
      const [first] = problems.flatMap((one) => one.problems);
      log.error({ revision, reason: first?.message }, 'the snapshot on disk cannot be served');
      this.serveHeldIn(RETRY);
      return;
    }
    this.held = builtHolding(null, held, problems);
    const age = this.confirmed === null ? null : Math.round((Date.now() - this.confirmed) / 1000);
    log.warn({ revision, secondsOld: age }, 'no controller said anything: the snapshot on disk is served');
  }

  private keep(holding: Holding): void {
    this.kept = Date.now();
    this.options.file?.save(holding);
  }

  private tellAdmin(holding: Holding): void {
    const text = adminText(holding);
    if (text === this.admin) return;
    this.admin = text;
    this.options.log.warn('admin.json has changed: it takes effect at the next start');
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.last.then(task);
    this.last = turn.catch(() => {});
    return turn;
  }
}

const noBase: Problem = {
  code: 'missing',
  severity: 'error',
  path: [],
  message: 'this plane holds no config.json, and the update has none',
};

function baseProblem(problems: readonly Problem[]): BuildProblem {
  return { route: null, problems, keepsServing: false };
}

function ofAdmin(problem: Problem): Problem {
  const at = pathText(problem.path);
  return { ...problem, message: `admin.json: ${at === '' ? '' : `${at}: `}${problem.message}` };
}

function notHeld(route: RouteKey): RouteProblems {
  const message = 'the version that was to be kept is not held';
  return { route, problems: [{ code: 'missing', severity: 'error', path: [], message }], keepsServing: true };
}

function adminText({ base }: Holding): string {
  return canonicalJson(base.admin ?? {});
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}
