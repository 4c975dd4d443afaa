import type { DocumentText } from '../../contract/document/document-text.ts';
import type { Problem } from '../../contract/problem.ts';
import type { SourceFile } from './source-file.ts';

/**
 * What requests meet: this version of the document; the last good one, because this one is not sound; a refusal, because
 * none ever was; or nothing, because it is not even known which requests the document is about. A route waits when nothing
 * is served at all, because `config.json` is not sound.
 */
export type ServedVersion = 'this' | 'last-good' | 'refuses' | 'nothing' | 'waits';

/** Verdict on one file, or on one object in it. */
export interface Verdict {
  readonly file: SourceFile;
  /** The object in the file that it is about; absent where the file is one document. */
  readonly within?: VerdictObject;
  /** A directory is a router's; a stray is a file that somebody may think is read; a resource is no Route. */
  readonly role: 'admin' | 'config' | 'route' | 'directory' | 'stray' | 'resource';
  readonly serves: ServedVersion;
  readonly problems: readonly Problem[];
  /** Whether it keeps others from being looked at: its routes cannot be found. */
  readonly hidesRoutes?: boolean;
  /** What it is as a route; null for other files and for those that cannot be one. */
  readonly route: VerdictRoute | null;
}

/** One of several objects in a file. */
export interface VerdictObject {
  /** What people call it, such as `Route shop/orders`. */
  readonly label: string;
  /** Where a path into the object is in the file. */
  readonly placeOf: DocumentText['placeOf'];
  /** Whether lines of it must not be shown. */
  readonly isSecret: boolean;
}

export interface VerdictRoute {
  /** The qualified name of its router. */
  readonly router: string;
  readonly id: string;
  readonly name: string;
  /** As written, in the version that serves; null where every request is taken. */
  readonly condition: string | null;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}
