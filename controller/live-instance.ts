import type { Update } from '../contract/snapshot.ts';
import type { Compilation, Compiler } from './compile/compiler.ts';
import { type LastGood, nothingGood } from './compile/last-good.ts';
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
  /** Hears of every compilation before it is delivered, and what it will change; null for nothing. */
  compiled(compilation: Compilation, update: Update | null): void;
  /** Hears that a change could not be compiled or told of; what runs goes on running. */
  failed(error: unknown): void;
  /** Makes planes run an update; resolves when they do. */
  deliver(update: Update): Promise<void>;
}

/** An instance that follows its files. One update is delivered at a time; while one is, only the newest state counts. */
export class LiveInstance {
  private readonly options: LiveInstanceOptions;
  private readonly publisher = new Publisher();
  private lastGood: LastGood = nothingGood;
  private delivering: Promise<void> | null = null;
  private isStale = false;

  constructor(options: LiveInstanceOptions) {
    this.options = options;
  }

  /** Compiles for the first time. @returns the update that a plane begins with, or null when there is nothing to run. */
  begin(): { readonly compilation: Compilation; readonly update: Update | null } {
    const compilation = this.compile();
    const update = compilation.snapshot === null ? null : this.publisher.update(compilation.snapshot);
    return { compilation, update };
  }

  /** The files have changed. */
  changed(): void {
    if (this.delivering !== null) {
      this.isStale = true;
      return;
    }
    let update: Update | null;
    try {
      const compilation = this.compile();
      update = compilation.snapshot === null ? null : this.publisher.update(compilation.snapshot);
      this.options.compiled(compilation, update);
    } catch (error) {
      this.options.failed(error);
      return;
    }
    if (update === null) return;
    this.delivering = this.options.deliver(update).finally(() => {
      this.delivering = null;
      if (!this.isStale) return;
      this.isStale = false;
      this.changed();
    });
  }

  private compile(): Compilation {
    const compilation = compileSource(this.options.compiler, this.options.source, this.lastGood);
    this.lastGood = compilation.lastGood;
    this.options.source.follow(compilation.directories);
    return compilation;
  }
}
