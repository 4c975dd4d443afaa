import type { SourceVersion } from '../../contract/snapshot.ts';
import type { ResourceState } from './resources/resource-state.ts';
import type { SourceFile } from './source-file.ts';

/** Everything that an instance is made of, at one moment. */
export interface InstanceState {
  /** `admin.json` where planes get it with the snapshot, or null when there is none; absent where it is read aside. */
  readonly admin?: SourceFile | null;
  /** What the base configuration was read from, where that is an object of a cluster. */
  readonly baseSources?: readonly SourceVersion[];
  /** Custom resources; absent where there are none to follow. */
  readonly resources?: ResourceState;
  /** `config.json`; null when there is none. */
  readonly config: SourceFile | null;
  readonly strays: readonly StrayFile[];
  /** The documents in the directories of routers, by path; null for a directory that could never be read. */
  readonly directories: ReadonlyMap<string, readonly SourceFile[] | null>;
  /** The system's code for why a directory cannot be read now, by path. Its documents are as they were last. */
  readonly faults: ReadonlyMap<string, string>;
  /** Another number makes everything be judged anew, also what files outside of the documents say. */
  readonly epoch: number;
}

/** A file that somebody may think is read, beside `config.json`. */
export interface StrayFile {
  readonly file: SourceFile;
  /** The name of the file that is read instead. */
  readonly instead: string;
  readonly isThere: boolean;
}
