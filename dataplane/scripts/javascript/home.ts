import type { HeapObjectUse, ScriptSetting } from '../script-language.ts';
import type { JavaScriptRun, RunHome } from './javascript-run.ts';
import { type QuickJs, QuickJsLost } from './quickjs.ts';
import { RunBudget } from './run-budget.ts';
import { RunTable } from './run-table.ts';
import type { Sandbox } from './sandbox.ts';

/** Sandboxes of one thread: scripts that are not used lose theirs, and get another one at the next request. */
export const MOST_SANDBOXES = 100;

/** Time to write `globals` as JSON, and to end what is left of a run. */
export const CLEANUP = { milliseconds: 10, bytes: 1024 * 1024, depth: 0 };

/** Memory that is given back as soon as no script uses it: it never shrinks. */
const RENEWED_SIZE = 48 * 1024 * 1024;

const homes = new Set<Home>();
let uses = 0;

/** Homes that get no more runs, and still have some. */
const leaving = new Set<Home>();

function homesOf(quickJs: QuickJs, from: ReadonlySet<Home> = homes): Home[] {
  return [...from].filter(({ sandbox }) => sandbox.quickJs === quickJs);
}

function renewIfIdle(quickJs: QuickJs): void {
  const users = homesOf(quickJs);
  if ([...users, ...homesOf(quickJs, leaving)].some(({ runs }) => runs.size > 0)) return;
  for (const user of users) user.retire();
  quickJs.giveUp();
}

/** The memory was given up: scripts that do not run would hold it until their next request. */
export function retireHomesOf(quickJs: QuickJs): void {
  for (const home of homesOf(quickJs)) home.retire();
  for (const home of homesOf(quickJs, leaving)) home.lose();
}

/**
 * Makes room for another sandbox of a tenant. The tenant with the most of them loses the one that it has not used for
 * the longest time, so that nobody loses theirs to a tenant with many scripts.
 */
export function makeRoom(realm: string, needed: QuickJs): void {
  if (homes.size < MOST_SANDBOXES) return;
  const counts = new Map([[realm, 1]]);
  for (const { setting } of homes) counts.set(setting.realm, (counts.get(setting.realm) ?? 0) + 1);
  let victim: Home | null = null;
  for (const home of [...homes].sort((one, other) => one.usedAt - other.usedAt)) {
    if (home.runs.size > 0) continue;
    if (victim === null || counts.get(home.setting.realm)! > counts.get(victim.setting.realm)!) victim = home;
  }
  victim?.evict(needed);
}

/** A sandbox with the runs that it has now. */
export class Home implements RunHome {
  readonly sandbox: Sandbox;
  readonly setting: ScriptSetting;
  readonly variables: readonly string[];
  /** Objects of the heap that the script uses, by number. */
  heap: readonly HeapObjectUse[] = [];
  readonly runs = new RunTable<JavaScriptRun>();
  /** Larger for each use. */
  usedAt = 0;
  isRetired = false;
  readonly #onRetire: (home: Home) => void;

  constructor(
    sandbox: (home: Home) => Sandbox,
    setting: ScriptSetting,
    variables: readonly string[],
    onRetire: (home: Home) => void,
  ) {
    this.setting = setting;
    this.variables = variables;
    this.#onRetire = onRetire;
    this.sandbox = sandbox(this);
    homes.add(this);
  }

  used(): void {
    this.usedAt = ++uses;
  }

  /** Retires it, and gives the memory back that no other script of the tenant uses. */
  evict(needed: QuickJs): void {
    const { quickJs } = this.sandbox;
    const isLast = quickJs.contexts === 1;
    this.retire();
    if (isLast && quickJs !== needed) quickJs.giveUp();
  }

  retire(): void {
    if (this.isRetired) return;
    this.isRetired = true;
    homes.delete(this);
    const isSettled = this.#isSettled();
    this.#onRetire(this);
    if (this.runs.size > 0) leaving.add(this);
    if (!isSettled) this.lose();
    this.#closeIfIdle();
  }

  /** Ends all runs: they cannot go on. */
  lose(): void {
    for (const run of this.runs.values()) run.lose();
  }

  /** Jobs that are left over belong to the run that was broken off. */
  #isSettled(): boolean {
    const { sandbox } = this;
    try {
      return !sandbox.quickJs.isLost && sandbox.settle(new RunBudget(CLEANUP));
    } catch (error) {
      if (error instanceof QuickJsLost) return false;
      throw error;
    }
  }

  ended(run: JavaScriptRun): void {
    this.runs.delete(run);
    this.#closeIfIdle();
    if (this.sandbox.quickJs.size > RENEWED_SIZE) renewIfIdle(this.sandbox.quickJs);
  }

  /** QuickJS may be in the middle of this run. */
  #closeIfIdle(): void {
    if (!this.isRetired || this.runs.size > 0) return;
    leaving.delete(this);
    queueMicrotask(() => this.sandbox.close());
  }
}
