import { didYouMean } from '../../contract/did-you-mean.ts';
import type { LatePart } from '../../contract/document/late-part.ts';
import type { Problem } from '../../contract/problem.ts';
import type { TypeDefinition } from './definition.ts';

/** Types that are loaded when one of them is needed. */
export interface LateTypes {
  /** Their names and aliases. */
  readonly names: readonly string[];
  readonly part: LatePart<readonly TypeDefinition[]>;
}

/** Types by name and alias, and the names of those that exist elsewhere and not here. */
export class TypeCatalogue {
  private readonly known: TypeDefinition[] = [];
  private readonly late = new Map<string, LatePart<readonly TypeDefinition[]>>();
  private readonly byName = new Map<string, TypeDefinition>();
  private readonly unavailable: ReadonlySet<string>;

  private readonly instead: ReadonlyMap<string, string>;
  private readonly relics: ReadonlyMap<string, string>;

  /**
   * @param instead what does the work of unavailable types, by their names
   * @param relics why objects of some of them are not needed, by their names
   * @param late types that `find` knows once their part is loaded
   */
  constructor(
    definitions: readonly TypeDefinition[],
    unavailable: readonly string[],
    instead: ReadonlyMap<string, string> = new Map(),
    relics: ReadonlyMap<string, string> = new Map(),
    late: readonly LateTypes[] = [],
  ) {
    this.unavailable = new Set(unavailable);
    this.instead = instead;
    this.relics = relics;
    this.add(definitions);
    for (const { names, part } of late) for (const name of names) this.late.set(name, part);
  }

  /** The types that are loaded. */
  get definitions(): readonly TypeDefinition[] {
    return this.known;
  }

  /** True while some types are not loaded. */
  get hasLate(): boolean {
    return this.late.size > 0;
  }

  private add(definitions: readonly TypeDefinition[]): void {
    for (const definition of definitions) {
      this.known.push(definition);
      for (const name of [definition.type, ...(definition.aliases ?? [])]) {
        this.byName.set(name, definition);
        this.late.delete(name);
      }
    }
  }

  /**
   * The type of this name. The full name of a class of OpenIG is understood by its last part.
   * @throws PartMissing while it is not loaded
   */
  find(name: string): TypeDefinition | undefined {
    const short = shortName(name);
    const found = this.byName.get(short);
    if (found !== undefined) return found;
    const part = this.late.get(short);
    if (part === undefined) return undefined;
    this.add(part.now);
    return this.byName.get(short);
  }

  /** True for the name of a type, loaded or not. */
  has(name: string): boolean {
    const short = shortName(name);
    return this.byName.has(short) || this.late.has(short);
  }

  /** The part to load before `find` knows a type; null if there is none. */
  partOf(name: string): LatePart<unknown> | null {
    const part = this.late.get(shortName(name));
    return part === undefined || part.isLoaded ? null : part;
  }

  /** Whether a type exists elsewhere and not here. */
  isUnavailable(name: string): boolean {
    return !this.has(name) && this.unavailable.has(shortName(name));
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
    const meant = didYouMean(name, [...this.byName.keys(), ...this.late.keys()]);
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
