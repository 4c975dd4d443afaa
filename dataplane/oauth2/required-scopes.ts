import type { z } from 'zod';
import { isList, type Value } from '../../contract/expression/value.ts';
import { type RuntimeExpression, runtimeValue } from '../../contract/vocabulary/runtime.ts';
import type { Exchange } from '../engine/message/exchange.ts';

/** Characters of scopes, and the space that some servers have in them. */
const SCOPE = /^[\x20-\x7e]+$/;

/** One entry of `scopes`: a scope, a list of scopes, or an expression that gives one or the other. */
export const scopeEntry = (): z.ZodType<RuntimeExpression<Value>, unknown> =>
  runtimeValue().refine((expression) => {
    const known = constantOf(expression);
    return known === undefined || scopesOf(known) !== null;
  }, 'must be a scope, a list of scopes or an expression: printable ASCII characters, at least one');

/** The scopes that a request needs. @throws when an expression gives none. */
export type RequiredScopes = (exchange: Exchange) => readonly string[];

/** Reads entries; those that are the same for all requests are read once. */
export function requiredScopes(entries: readonly RuntimeExpression<Value>[]): RequiredScopes {
  if (entries.every((entry) => constantOf(entry) !== undefined)) {
    const scopes = [...new Set(entries.flatMap((entry) => scopesOf(constantOf(entry)!)!))];
    return () => scopes;
  }
  return (exchange) => entries.flatMap((entry) => scopesFor(entry, exchange));
}

/** Whether no token can have what an entry asks for: scopes are separated by spaces. */
export function hasSpace(entry: RuntimeExpression<Value>): boolean {
  const known = constantOf(entry);
  return known !== undefined && scopesOf(known)?.some((scope) => scope.includes(' ')) === true;
}

function scopesFor(entry: RuntimeExpression<Value>, exchange: Exchange): readonly string[] {
  const value = entry.read(exchange, null);
  const scopes = value === null ? null : scopesOf(value);
  if (scopes === null) throw new Error(`${entry.source} gave neither a scope nor a list of scopes`);
  return scopes;
}

function scopesOf(value: Value): readonly string[] | null {
  const items = isList(value) ? value : [value];
  return items.every((item): item is string => typeof item === 'string' && SCOPE.test(item)) ? items : null;
}

/** The value for all requests, or undefined when it depends on them. */
function constantOf({ compiled, read }: RuntimeExpression<Value>): Value | undefined {
  return compiled === null ? read(null, null) : compiled.constant;
}
