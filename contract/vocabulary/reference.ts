import type { z } from 'zod';
import { type JsonValue, kindOf } from '../document/json-value.ts';
import { ValueProblem } from '../problem.ts';
import { leaf } from './leaf.ts';

/** What an object is good for. A reference names the kind that it needs. */
export const kinds = {
  handler: 'Handler',
  filter: 'Filter',
  decorator: 'Decorator',
  executor: 'ScheduledExecutorService',
  temporaryStorage: 'TemporaryStorage',
  clock: 'Clock',
  secretsProvider: 'SecretsProvider',
  secretStore: 'SecretStore',
  auditService: 'AuditService',
  sessionManager: 'AsyncSessionManager',
  proxyOptions: 'ProxyOptions',
  tlsOptions: 'ClientTlsOptions',
  any: 'Object',
} as const;

export type Kind = keyof typeof kinds;

/** Another object, by its name or declared in place. What it stands for is found when the document is checked. */
export class Reference<K extends Kind = Kind> {
  readonly kind: K;
  /** The name, or null when the object is declared in place. */
  readonly name: string | null;
  /** The declaration as written, or null when it is named. */
  readonly declaration: JsonValue;

  constructor(kind: K, name: string | null, declaration: JsonValue) {
    this.kind = kind;
    this.name = name;
    this.declaration = declaration;
  }
}

/** A reference to an object of this kind. */
export function ref<K extends Kind>(kind: K): z.ZodType<Reference<K>, unknown> {
  const label = `${kinds[kind]} reference`;
  const json = {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'object', required: ['type'], properties: { type: { type: 'string' }, config: { type: 'object' } } },
    ],
  };
  const schema = leaf(label, json, (value): Reference<K> => {
    if (value === undefined) throw new ValueProblem('missing', 'is required');
    if (typeof value === 'string' && value !== '') return new Reference(kind, value, null);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return new Reference(kind, null, value as JsonValue);
    }
    throw new ValueProblem(
      'value',
      `must be the name of a ${kinds[kind]} or an object with 'type', not ${value === '' ? 'an empty text' : kindOf(value)}`,
    );
  });
  return schema.meta({ isReference: true });
}
