import type { Logger } from 'pino';
import type { Built, BuiltKind } from './kinds.ts';
import { ReplaceableAuditService } from './objects/replaceable-audit-service.ts';
import { ReplaceableSecrets } from './objects/replaceable-secrets.ts';

/** An object that can be replaced while others hold what stands for it. */
export interface Replaceable {
  /** What others hold. */
  readonly object: unknown;
  replace(next: unknown): void;
}

type Stand = (name: string, first: unknown, log: Logger) => Replaceable;

const secrets: Stand = (name, first, log) => {
  const object = new ReplaceableSecrets(name, first as Built['secretsProvider'], log);
  return { object, replace: (next) => object.replace(next as Built['secretsProvider']) };
};

const audit: Stand = (_, first) => {
  const object = new ReplaceableAuditService(first as Built['auditService']);
  return { object, replace: (next) => object.replace(next as Built['auditService']) };
};

/** The kinds of objects that routes can share. A kind that joins them needs no more than an entry here. */
const STANDS: Partial<Record<BuiltKind, Stand>> = {
  auditService: audit,
  secretStore: secrets,
  secretsProvider: secrets,
};

/** Returns what stands for an object of this kind; null for kinds that cannot be replaced under their holders. */
export function replaceable(kind: BuiltKind, name: string, first: unknown, log: Logger): Replaceable | null {
  return STANDS[kind]?.(name, first, log) ?? null;
}
