import { type Attempt, attempt } from '../contract/document/late-part.ts';
import { routeKeyText, type Update } from '../contract/snapshot.ts';
import type { Compilation, Compiler } from './compile/compiler.ts';
import { type LastGood, nothingGood } from './compile/last-good.ts';
import type { SourceFile } from './compile/source-file.ts';
import type { Verdict } from './compile/verdict.ts';
import type { FileChange, ManagedInstance, UnbuiltPart } from './manage/managed-instance.ts';
import { Publisher } from './publish/publisher.ts';
import type { DirectorySource } from './source/directory-source.ts';
import { manifestVerdicts } from './source/manifest-verdicts.ts';

/** Compiles what a source holds, reading the directories that turn out to be needed. */
export function compileSource(compiler: Compiler, source: DirectorySource, lastGood: LastGood): Compilation {
  for (;;) {
    const compilation = compiler.compile(source.state, lastGood);
    if (compilation.missing.length === 0) return withManifests(compilation, source);
    source.read(compilation.missing);
  }
}

function withManifests(compilation: Compilation, { manifestSet }: DirectorySource): Compilation {
  if (manifestSet === null) return compilation;
  const verdicts = [...compilation.verdicts, ...manifestVerdicts(manifestSet, compilation.resources)];
  return { ...compilation, verdicts };
}

export interface LiveInstanceOptions {
  readonly compiler: Compiler;
  readonly source: DirectorySource;
  readonly configDirectory: string;
  /** Hears of every compilation before it is delivered, and what it will change; null for nothing. */
  compiled(compilation: Compilation, update: Update | null): void;
  /** Hears that a change could not be compiled or told of; what runs goes on running. */
  failed(error: unknown): void;
  /** Makes planes run an update. Resolves when they do, with the parts that they cannot build; null for a failure. */
  deliver(update: Update): Promise<readonly UnbuiltPart[] | null>;
}

/** Longest time until a change that was written runs, in milliseconds: a file may be gone again by then. */
const LONGEST_DELIVERY = 30_000;

/** An instance that follows its files. One update is delivered at a time; while one is, only the newest state counts. */
export class LiveInstance implements ManagedInstance {
  private readonly options: LiveInstanceOptions;
  private readonly publisher = new Publisher();
  private compiler: Compiler;
  private lastGood: LastGood = nothingGood;
  private delivering: Promise<void> | null = null;
  private isStale = false;
  private newest: Compilation | null = null;
  /** Called after every compilation that was delivered or could not be. */
  private readonly waiting = new Set<(runs: boolean) => void>();
  private running: string | null = null;
  /** Files that are being created over HTTP, and removed again if their routes cannot be built. */
  private readonly provisional = new Set<string>();
  /** Routes that planes could not build, by their keys. */
  private readonly unbuilt = new Map<string, UnbuiltPart>();

  constructor(options: LiveInstanceOptions) {
    this.options = options;
    this.compiler = options.compiler;
  }

  /** Revision that planes run; null before the first one. */
  get revision(): string | null {
    return this.running;
  }

  /** Routes that planes could not build. */
  get unbuiltRoutes(): UnbuiltPart[] {
    return [...this.unbuilt.values()];
  }

  get configDirectory(): string {
    return this.options.configDirectory;
  }

  /** Compiles for the first time. @returns the update that a plane begins with, or null when there is nothing to run. */
  async begin(): Promise<{ readonly compilation: Compilation; readonly update: Update | null }> {
    let compiled = this.compile();
    while (!compiled.isDone) {
      await compiled.loaded;
      compiled = this.compile();
    }
    const compilation = compiled.value;
    const update = compilation.snapshot === null ? null : this.publisher.update(compilation.snapshot);
    return { compilation, update };
  }

  get compilation(): Compilation {
    if (this.newest === null) throw new Error('nothing has been compiled yet');
    return this.newest;
  }

  /** Takes in what planes could not build of an update. */
  built({ base, set, remove, revision }: Update, parts: readonly UnbuiltPart[]): void {
    this.running = revision;
    if (base !== null) this.unbuilt.clear();
    for (const key of [...set, ...remove]) this.unbuilt.delete(routeKeyText(key));
    for (const part of parts) if (part.route !== null) this.unbuilt.set(routeKeyText(part.route), part);
  }

  async judge({ directory, path, content }: FileChange): Promise<Compilation> {
    for (;;) {
      const { state } = this.options.source;
      const others = (state.directories.get(directory) ?? []).filter((file) => file.path !== path);
      const directories = new Map(state.directories).set(directory, [...others, { path, content }]);
      const compiled = this.attempt(() => this.compiler.compile({ ...state, directories }, this.lastGood));
      if (compiled.isDone) return compiled.value;
      await compiled.loaded;
    }
  }

  reread(path: string): void {
    this.options.source.lookAt(path);
  }

  written(path: string, before: SourceFile | null): Promise<readonly UnbuiltPart[] | null> {
    const done = Promise.withResolvers<readonly UnbuiltPart[] | null>();
    const look = (runs: boolean): void => {
      const found = this.compilation.verdicts.find(({ file }) => file.path === path) ?? null;
      if ((found?.file ?? null) !== before) done.resolve(runs ? this.unbuiltOf(found) : null);
    };
    this.waiting.add(look);
    if (before === null) this.provisional.add(path);
    const timer = setTimeout(() => done.resolve(null), LONGEST_DELIVERY);
    this.options.source.lookAt(path);
    return done.promise.finally(() => {
      clearTimeout(timer);
      this.waiting.delete(look);
      this.provisional.delete(path);
    });
  }

  /** The files have changed. */
  changed(): void {
    if (this.delivering !== null) {
      this.isStale = true;
      return;
    }
    let update: Update | null;
    try {
      const compiled = this.compile();
      if (!compiled.isDone) {
        this.delivering = this.again(compiled.loaded);
        return;
      }
      const compilation = compiled.value;
      update = compilation.snapshot === null ? null : this.marked(this.publisher.update(compilation.snapshot));
      this.options.compiled(compilation, update);
    } catch (error) {
      this.options.failed(error);
      return;
    }
    if (update === null) this.settled(true);
    else this.delivering = this.deliver(update).finally(() => this.delivered());
  }

  /** The update with the routes that must not be seen before they are known to work. */
  private marked(update: Update | null): Update | null {
    if (update === null || this.provisional.size === 0) return update;
    const routes = this.compilation.verdicts.filter(({ file }) => this.provisional.has(file.path));
    return { ...update, provisional: routes.flatMap(({ route }) => (route === null ? [] : [routeKeyText(route)])) };
  }

  private async deliver(update: Update): Promise<void> {
    const parts = await this.options.deliver(update);
    if (parts !== null) this.built(update, parts);
    this.settled(parts !== null);
  }

  /** A route, and the routes of routers inside of it. */
  private unbuiltOf(verdict: Verdict | null): UnbuiltPart[] {
    const route = verdict?.route ?? null;
    if (route === null) return [];
    const inside = `${route.router}.${route.name}.`;
    return [...this.unbuilt.values()].filter(
      ({ route: key }) => key !== null && (routeKeyText(key) === routeKeyText(route) || key.router.startsWith(inside)),
    );
  }

  private delivered(): void {
    this.delivering = null;
    if (!this.isStale) return;
    this.isStale = false;
    this.changed();
  }

  private settled(runs: boolean): void {
    for (const look of this.waiting) look(runs);
  }

  /** Compiles again when parts are loaded. */
  private async again(loaded: Promise<void>): Promise<void> {
    try {
      await loaded;
      this.isStale = true;
    } catch (error) {
      this.options.failed(error);
    } finally {
      this.delivered();
    }
  }

  private compile(): Attempt<Compilation> {
    const { source } = this.options;
    const compiled = this.attempt(() => compileSource(this.compiler, source, this.lastGood));
    if (compiled.isDone) {
      this.newest = compiled.value;
      this.lastGood = compiled.value.lastGood;
      source.follow(compiled.value.directories);
    }
    return compiled;
  }

  private attempt(compile: () => Compilation): Attempt<Compilation> {
    const compiled = attempt(compile);
    if (!compiled.isDone) this.compiler = this.compiler.anew(); // verdicts without these parts must not be kept
    return compiled;
  }
}
