import type { LatePart } from '../../contract/document/late-part.ts';
import type { TypeCatalogue } from './type-catalogue.ts';

/** Loads types that documents name, and the parts that their objects need. @returns null when all of them are loaded */
export function loadNamedParts(catalogue: TypeCatalogue, documents: unknown): Promise<void> | null {
  const missing = new Set<LatePart<unknown>>();
  if (catalogue.hasLate || hasLateParts(catalogue)) walk(catalogue, documents, missing);
  // a type that was loaded may need parts
  return missing.size === 0 ? null : loaded(missing).then(() => loadNamedParts(catalogue, documents) ?? undefined);
}

/** Loads all parts, where documents are not known before they are judged. */
export async function loadAllParts(catalogue: TypeCatalogue): Promise<void> {
  await loaded(catalogue.definitions.flatMap(({ parts }) => parts?.(undefined) ?? []));
}

async function loaded(parts: Iterable<LatePart<unknown>>): Promise<void> {
  await Promise.all([...parts].map((part) => part.load()));
}

function hasLateParts({ definitions }: TypeCatalogue): boolean {
  return definitions.some(({ parts }) => parts?.(undefined).some(({ isLoaded }) => !isLoaded));
}

/** Declarations can be anywhere in a document. */
function walk(catalogue: TypeCatalogue, documents: unknown, missing: Set<LatePart<unknown>>): void {
  const waiting: unknown[] = [documents];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (Array.isArray(value)) {
      for (const item of value) waiting.push(item ?? null);
    } else if (typeof value === 'object' && value !== null) {
      const { type, config } = value as { readonly type?: unknown; readonly config?: unknown };
      if (typeof type === 'string') for (const part of lateFor(catalogue, type, config)) missing.add(part);
      for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) waiting.push(item);
    }
  }
}

/** Parts to load for an object: its type first, which knows the rest. */
function lateFor(catalogue: TypeCatalogue, type: string, config: unknown): readonly LatePart<unknown>[] {
  const types = catalogue.partOf(type);
  if (types !== null) return [types];
  return (catalogue.find(type)?.parts?.(config) ?? []).filter(({ isLoaded }) => !isLoaded);
}
