import type { Path, Problem } from '../../contract/problem.ts';
import type { ServiceUse } from '../../contract/resources/service-reference.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { Kind } from '../../contract/vocabulary/reference.ts';
import type { TypeCatalogue } from './type-catalogue.ts';

/** Options of a check. */
export interface CheckOptions {
  readonly catalogue: TypeCatalogue;
  readonly reading: Reading;
  /** Where somebody may look in vain for what a name leads to. */
  readonly elsewhere?: string;
  /** Path that no route gets requests for, such as `openig`; conditions that test it get a warning. */
  readonly administrativePath?: string;
  /** Set where a tenant wrote the document: which objects of operators it may refer to although they hold secrets. */
  readonly tenant?: { readonly sharedObjects: ReadonlySet<string> };
  /** Qualified name of the router whose route the document is. */
  readonly router?: string;
  /** Returns the type of the shared object that a name stands for where no heap has it; null for none. */
  lend?(kind: Kind, name: string): string | null;
  /** Hears of Services of the cluster that objects send requests to; missing where documents may not name any. */
  service?(use: ServiceUse, path: Path): void;
  /** Hears of names that lead nowhere. */
  unknown?(kind: Kind, name: string, path: Path): void;
  report(problem: Problem): void;
}
