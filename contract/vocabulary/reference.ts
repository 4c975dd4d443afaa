import { z } from 'zod';
import { type JsonValue, kindOf } from '../document/json-value.ts';
import { type Path, ValueProblem } from '../problem.ts';
import { leaf } from './leaf.ts';

/** Kinds of objects. A reference names the kind that it needs. */
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
  backends: 'Backends',
  proxyOptions: 'ProxyOptions',
  tlsOptions: 'ClientTlsOptions',
  serverTlsOptions: 'ServerTlsOptions',
  keyManager: 'KeyManager',
  trustManager: 'TrustManager',
  propertyFormat: 'PropertyFormat',
  accessTokenResolver: 'AccessTokenResolver',
  resourceAccess: 'ScriptableResourceAccess',
  amService: 'AmService',
  resourceUriProvider: 'ResourceUriProvider',
  jwtValidatorCustomizer: 'JwtValidatorCustomizer',
  issuer: 'Issuer',
  clientRegistration: 'ClientRegistration',
  throttlingPolicy: 'ThrottlingPolicy',
  userProfileService: 'UserProfileService',
  any: 'Object',
} as const;

export type Kind = keyof typeof kinds;

/** Kinds in whose place an object of another kind can stand, or several of them in an order. */
export const standIns: Readonly<Partial<Record<Kind, 'secretStore'>>> = { secretsProvider: 'secretStore' };

/** Hints for references to undeclared objects, by kind. */
export const mistaken: Readonly<Partial<Record<Kind, (name: string) => string>>> = {
  issuer: () => "the URL of an issuer begins with 'https://'",
  resourceAccess: (name) => `scopes stand in brackets: ${scopeList(name)}`,
};

/** A text of OAuth 2.0 has blanks between its scopes, and other texts have commas. */
function scopeList(text: string): string {
  const scopes = text.split(/[\s,]+/).filter((scope) => scope !== '');
  return `[${scopes.map((scope) => JSON.stringify(scope)).join(', ')}]`;
}

/** One list for all references: there are thousands. */
const NOTHING: readonly never[] = [];

/** Another object, by its name or declared in place. What it stands for is found when the document is checked. */
export class Reference<K extends Kind = Kind> {
  readonly kind: K;
  /** The name, or null when the object is declared in place. */
  readonly name: string | null;
  /** The declaration as written, or null when it is named. */
  readonly declaration: JsonValue;
  /** The objects that take the place of one together, in their order; empty for a reference to one object. */
  readonly members: readonly Reference<'secretStore'>[];
  /** True where the document has the configuration alone, in the place of a declaration. */
  readonly isConfig: boolean;
  /** For references to any kind of object: the kinds that it may have; empty for all. */
  readonly among: readonly Kind[];

  constructor(
    kind: K,
    name: string | null,
    declaration: JsonValue,
    members: readonly Reference<'secretStore'>[] = NOTHING,
    isConfig = false,
    among: readonly Kind[] = NOTHING,
  ) {
    this.kind = kind;
    this.name = name;
    this.declaration = declaration;
    this.members = members;
    this.isConfig = isConfig;
    this.among = among;
  }
}

/** The kinds of objects that a reference can mean, or null for all of them. */
export function usableKinds({ kind, among }: Reference): readonly Kind[] | null {
  if (kind === 'any') return among.length === 0 ? null : among;
  const standIn = standIns[kind];
  return standIn === undefined ? [kind] : [kind, standIn];
}

/** A reference and where it is. */
export interface PlacedReference {
  readonly value: Reference;
  readonly path: Path;
}

/** The references to one object each that a reference is made of: itself, or those in its list. */
export function singleReferences(reference: Reference, path: Path): PlacedReference[] {
  if (reference.members.length === 0) return [{ value: reference, path }];
  return reference.members.map((value, index) => ({ value, path: [...path, index] }));
}

/** A reference to an object of this kind, or to what can stand in its place. */
export function ref<K extends Kind>(kind: K): z.ZodType<Reference<K>, unknown> {
  const single = singleRef(kind);
  const standIn = standIns[kind];
  if (standIn === undefined) return single;
  const several = z
    .array(singleRef(standIn))
    .min(1)
    .transform((members) => new Reference(kind, null, null, members));
  return z.union([several, single]).meta({ label: `${kinds[kind]} reference`, reference: kind });
}

function singleRef<K extends Kind>(kind: K): z.ZodType<Reference<K>, unknown> {
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
  return schema.meta({ reference: kind });
}
