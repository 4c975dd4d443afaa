import type { Shapes } from '../../../contract/expression/language.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { CLIENT_PROPERTIES, ROUTER_PROPERTIES } from '../context-properties.ts';
import { plainValue } from './plain-values.ts';

/** Names of the contexts of an exchange, from the root to the leaf, without attributes and session. */
export function contextNames({ contextNames: names }: Exchange): string[] {
  const usual = ['root', 'client', 'transactionId', 'router'];
  const others = names.filter((name) => ![...usual, 'attributes', 'session'].includes(name));
  return ['root', 'client', 'transactionId', ...others, 'router'];
}

/** A context as a script sees it. */
export function contextValue(exchange: Exchange, name: string, shapes: Shapes): unknown {
  const picked = <N extends string>(names: readonly N[], from: Readonly<Record<N, unknown>>) =>
    Object.fromEntries(names.map((each) => [each, plainValue(from[each], shapes)]));
  if (name === 'root') return { id: exchange.transactionId };
  if (name === 'transactionId') return { transactionId: { value: exchange.transactionId } };
  if (name === 'router') return picked(ROUTER_PROPERTIES, exchange.router);
  if (name !== 'client') return plainValue(exchange.context(name), shapes);
  const { client } = exchange;
  return { ...picked(CLIENT_PROPERTIES, client), secure: client.isSecure, external: client.isExternal };
}
