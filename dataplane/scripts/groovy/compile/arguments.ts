import type { Arguments, Expression, MapItem } from '../syntax/tree.ts';
import type { Emitting } from './emitting.ts';
import type { Scope } from './unit.ts';

/** Code of the arguments, without brackets; named ones are a map before the others. */
export function argumentsCode(e: Emitting, args: Arguments, scope: Scope): string {
  const codes = args.named.length > 0 ? [mapCode(e, args.named, scope)] : [];
  for (const arg of args.positional)
    codes.push(arg.kind === 'spread' ? `...(yield*H.spread(rt,${e.value(arg.of, scope)}))` : e.value(arg, scope));
  return codes.join(',');
}

/** A map literal: keys and values in turn, with maps that are spread as they come. */
export function mapCode(e: Emitting, items: readonly MapItem[], scope: Scope): string {
  if (items.every((item) => 'key' in item)) {
    return `H.map(rt,[${items.map((item) => `${e.value(item.key, scope)},${e.value(item.value, scope)}`).join(',')}])`;
  }
  const parts = items.map((item) =>
    'key' in item
      ? `${e.value(item.key, scope)},${e.value(item.value, scope)}`
      : `...H.spreadMap(rt,${e.value(item.spread, scope)})`,
  );
  return `H.map(rt,[${parts.join(',')}])`;
}

/** The index: several items are a list. */
export function indexValue(e: Emitting, items: readonly Expression[], scope: Scope): string {
  if (items.length === 1 && items[0]!.kind !== 'spread') return e.value(items[0]!, scope);
  return `H.list(rt,[${argumentsCode(e, { positional: items, named: [] }, scope)}])`;
}
