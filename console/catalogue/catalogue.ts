import type { ShownCatalogue, ShownType } from '../../contract/shown/shown-catalogue.ts';

/** The types of objects, found by name and by kind. */
export class Catalogue {
  readonly shown: ShownCatalogue;
  private readonly byName: ReadonlyMap<string, ShownType>;

  constructor(shown: ShownCatalogue) {
    this.shown = shown;
    this.byName = new Map(
      shown.types.flatMap((type) => [type.type, ...(type.aliases ?? [])].map((name) => [name, type] as const)),
    );
  }

  /** Returns a type by one of its names; null for an unknown one. */
  find(name: string): ShownType | null {
    return this.byName.get(name) ?? null;
  }

  /** Returns the types whose objects can stand at a reference to a kind. */
  fitting(kind: string): readonly ShownType[] {
    const accepted = acceptedKinds(kind);
    return this.shown.types.filter((type) => accepted === null || accepted.includes(type.kind));
  }

  /** Returns the names of objects without a declaration that can stand at a reference to a kind. */
  givenFor(kind: string): readonly string[] {
    const accepted = acceptedKinds(kind);
    return this.shown.given
      .filter(({ type }) => accepted === null || accepted.includes(this.find(type)?.kind ?? ''))
      .map(({ name }) => name);
  }
}

/** Stores may stand where a provider of secrets is asked for. */
function acceptedKinds(kind: string): readonly string[] | null {
  if (kind === 'any') return null;
  return kind === 'secretsProvider' ? [kind, 'secretStore'] : [kind];
}
