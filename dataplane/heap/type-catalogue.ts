import { didYouMean } from '../../contract/did-you-mean.ts';
import type { Problem } from '../../contract/problem.ts';
import type { TypeDefinition } from './definition.ts';

/** Types by name and alias, and the names of those that exist elsewhere and not here. */
export class TypeCatalogue {
  readonly definitions: readonly TypeDefinition[];
  private readonly byName = new Map<string, TypeDefinition>();
  private readonly unavailable: ReadonlySet<string>;

  constructor(definitions: readonly TypeDefinition[], unavailable: readonly string[]) {
    this.definitions = definitions;
    this.unavailable = new Set(unavailable);
    for (const definition of definitions) {
      for (const name of [definition.type, ...(definition.aliases ?? [])]) this.byName.set(name, definition);
    }
  }

  /** The type of this name. A full Java class name is understood by its last part. */
  find(name: string): TypeDefinition | undefined {
    return this.byName.get(name) ?? this.byName.get(name.slice(name.lastIndexOf('.') + 1));
  }

  /** What is wrong with a name that `find` does not know. */
  unknown(name: string): Pick<Problem, 'code' | 'message' | 'hint'> {
    if (this.unavailable.has(name)) {
      return { code: 'unavailable-type', message: `the type '${name}' is known, but not available in this version` };
    }
    const meant = didYouMean(name, [...this.byName.keys()]);
    const message = `there is no type '${name}'`;
    const hint = meant === undefined ? "'gatewarden types' lists them all" : `did you mean '${meant}'?`;
    return { code: 'unknown-type', message, hint };
  }
}
