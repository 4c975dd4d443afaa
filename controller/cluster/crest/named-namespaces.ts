import type { QueryFilter } from '../../../contract/crest/query-filter.ts';

/** Returns the namespaces that a filter limits its results to; null for a filter that does not. */
export function namedNamespaces(filter: QueryFilter): ReadonlySet<string> | null {
  switch (filter.kind) {
    case 'compare':
      return namespaceIn(filter);
    case 'and':
      return filter.parts
        .map(namedNamespaces)
        .reduce((a, b) => (a === null || b === null ? (a ?? b) : a.intersection(b)));
    case 'or': {
      const parts = filter.parts.map(namedNamespaces);
      return parts.reduce((a, b) => (a === null || b === null ? null : a.union(b)));
    }
    default:
      return null;
  }
}

function namespaceIn({ field, operator, value }: Extract<QueryFilter, { readonly kind: 'compare' }>) {
  const isId = field.length === 1 && field[0] === '_id';
  if (!isId || (operator !== 'eq' && operator !== 'sw') || typeof value !== 'string') return null;
  const dot = value.indexOf('.');
  return dot < 0 ? null : new Set([value.slice(0, dot).toLowerCase()]);
}
