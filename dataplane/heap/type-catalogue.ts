import { didYouMean } from '../../contract/did-you-mean.ts';
import type { Problem } from '../../contract/problem.ts';
import type { TypeDefinition } from './definition.ts';

/** Types by name and alias, and the names of those that exist elsewhere and not here. */
export class TypeCatalogue {
  readonly definitions: readonly TypeDefinition[];
  private readonly byName = new Map<string, TypeDefinition>();
  private readonly unavailable: ReadonlySet<string>;

  private readonly instead: ReadonlyMap<string, string>;
  private readonly relics: ReadonlyMap<string, string>;

  /**
   * @param instead what does the work of unavailable types, by their names
   * @param relics why objects of some of them are not needed, by their names
   */
  constructor(
    definitions: readonly TypeDefinition[],
    unavailable: readonly string[],
    instead: ReadonlyMap<string, string> = new Map(),
    relics: ReadonlyMap<string, string> = new Map(),
  ) {
    this.definitions = definitions;
    this.unavailable = new Set(unavailable);
    this.instead = instead;
    this.relics = relics;
    for (const definition of definitions) {
      for (const name of [definition.type, ...(definition.aliases ?? [])]) this.byName.set(name, definition);
    }
  }

  /** The type of this name. The full name of a class of OpenIG is understood by its last part. */
  find(name: string): TypeDefinition | undefined {
    return this.byName.get(shortName(name));
  }

  /** Whether a type exists elsewhere and not here. */
  isUnavailable(name: string): boolean {
    return this.byName.get(shortName(name)) === undefined && this.unavailable.has(shortName(name));
  }

  /** Why an object of an unavailable type can be left out without a loss; undefined where it cannot. */
  relic(name: string): string | undefined {
    return this.relics.get(shortName(name));
  }

  /** What is wrong with a name that `find` does not know. */
  unknown(name: string): Pick<Problem, 'code' | 'message' | 'hint'> {
    if (this.unavailable.has(shortName(name))) {
      const message = `the type '${name}' is known, but not available in this version`;
      const hint = this.instead.get(shortName(name));
      return { code: 'unavailable-type', message, ...(hint !== undefined && { hint }) };
    }
    const meant = didYouMean(name, [...this.byName.keys()]);
    const message = `there is no type '${name}'`;
    const hint = meant === undefined ? hintFor(name) : `did you mean '${meant}'?`;
    return { code: 'unknown-type', message, hint };
  }
}

/** A class of somebody else may have the same last part and do something else. */
function shortName(name: string): string {
  return /^(?:org\.forgerock|org\.openidentityplatform|com\.pingidentity)\./.test(name)
    ? name.slice(name.lastIndexOf('.') + 1)
    : name;
}

function hintFor(name: string): string {
  return name.includes('.') ? 'Java classes cannot be loaded' : "'gatewarden types' lists them all";
}
