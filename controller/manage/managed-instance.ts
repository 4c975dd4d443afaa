import type { Problem } from '../../contract/problem.ts';
import type { RouteKey } from '../../contract/snapshot.ts';
import type { Compilation } from '../compile/compiler.ts';
import type { SourceFile } from '../compile/source-file.ts';

/** A change of one file. */
export interface FileChange {
  readonly directory: string;
  readonly path: string;
  readonly content: Uint8Array;
}

/** Part of an update that data planes could not build: a route, or `config.json` for null. */
export interface UnbuiltPart {
  readonly route: RouteKey | null;
  readonly problems: readonly Problem[];
  /** True if the version before keeps serving. */
  readonly keepsServing: boolean;
}

/** An instance that can be asked and changed over HTTP. */
export interface ManagedInstance {
  /** The newest compilation. */
  readonly compilation: Compilation;
  /** Directory of `config.json`. */
  readonly configDirectory: string;
  /** Returns the compilation of an instance with one file changed, which changes nothing. */
  judge(change: FileChange): Promise<Compilation>;
  /** Reads a file again, for a change that somebody else has made. */
  reread(path: string): void;
  /**
   * Reads a file again that was written, and waits until all units have tried to build it.
   *
   * @returns the parts of its route that cannot be built; null if the change does not run after a while
   */
  written(path: string, before: SourceFile | null): Promise<readonly UnbuiltPart[] | null>;
}
