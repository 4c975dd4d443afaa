import { pointerText } from './json-pointer.ts';
import type { FilterValue, QueryFilter } from './query-filter.ts';

/** Writes a filter so that reading it gives the same filter. */
export function filterText(filter: QueryFilter): string {
  switch (filter.kind) {
    case 'literal':
      return String(filter.value);
    case 'and':
    case 'or':
      return `(${filter.parts.map(filterText).join(` ${filter.kind} `)})`;
    case 'not':
      return `! (${filterText(filter.part)})`;
    case 'present':
      return `${pointerText(filter.field)} pr`;
    case 'compare':
      return `${pointerText(filter.field)} ${filter.operator} ${valueText(filter.value)}`;
  }
}

function valueText(value: FilterValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
