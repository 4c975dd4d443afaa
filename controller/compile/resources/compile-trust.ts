import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { readEgressRule } from '../../../contract/egress.ts';
import { type Path, type Problem, ValueProblem } from '../../../contract/problem.ts';
import { HostGrants } from '../../../contract/resources/host-grants.ts';
import type { PlaneTrust } from '../../../contract/snapshot.ts';
import { type TrustSettings, trustSettings } from '../../../contract/trust-settings.ts';
import { parsePlain } from '../../../contract/vocabulary/parse-config.ts';
import type { ResolveDocument } from '../resolve-document.ts';
import type { SourceFile } from '../source-file.ts';
import { hasErrors } from '../verdict.ts';

/** A sound `trust.json`, or what holds without one. */
export interface TrustVersion {
  readonly settings: TrustSettings;
  /** What planes are told of it. */
  readonly plane: PlaneTrust;
  /** Whether somebody wrote it. */
  readonly isFile: boolean;
  /** The tenant whose Routes those of a namespace are; null when it is nobody's. */
  tenantOf(namespace: string): string | null;
  /** True if Routes may use a Service that stands for this host name outside of the cluster. */
  allowsExternalName(host: string): boolean;
}

/** Result of compiling `trust.json`. */
export interface CompiledTrust {
  /** Null when it is not sound. */
  readonly version: TrustVersion | null;
  readonly problems: readonly Problem[];
}

/** Reads `trust.json`; without one, one tenant has all namespaces and all hosts. */
export function compileTrust(file: SourceFile | null, resolve: ResolveDocument): CompiledTrust {
  if (file === null) return { version: trustVersion(trustSettings.parse({}), false), problems: [] };
  const { document, problems: found, told } = resolve(file, null);
  const { value, problems } = document === null ? nothing : parsePlain(trustSettings, document, []);
  const all = [...found, ...told([...problems, ...(value === undefined ? [] : clashes(value))])];
  if (value === undefined || hasErrors(all)) return { version: null, problems: all };
  return { version: trustVersion(value, true), problems: all };
}

/** Settings that were sound in another controller; null when they are not here. */
export function restoredTrust(settings: TrustSettings, isFile: boolean): TrustVersion | null {
  return hasErrors(clashes(settings)) ? null : trustVersion(settings, isFile);
}

const nothing = { value: undefined, problems: [] };

/** Warnings of shared objects that `config.json` does not have. */
export function unknownShared({ settings }: TrustVersion, base: JsonObject): Problem[] {
  const heap = base['heap'];
  const declared = Array.isArray(heap) ? (heap as readonly JsonObject[]).map((object) => object?.['name']) : [];
  return settings.sharedObjects.flatMap((name, at): Problem[] => {
    if (declared.includes(name)) return [];
    const message = `has no effect: there is no object '${name}' in the heap of config.json`;
    return [{ code: 'no-effect', severity: 'warning', path: ['sharedObjects', at], message }];
  });
}

/** Whether documents of tenants mean the same under both. */
export function sameMeans({ settings: a }: TrustVersion, { settings: b }: TrustVersion): boolean {
  return isDeepStrictEqual(a.tokens, b.tokens) && isDeepStrictEqual(a.sharedObjects, b.sharedObjects);
}

/** Finds the tenant whose Routes those of a namespace are; null when it is nobody's. */
export function tenantsOf(tenants: TrustSettings['tenants']): (namespace: string) => string | null {
  const byNamespace = new Map<string, string>();
  for (const { name, namespaces } of tenants) for (const one of namespaces) byNamespace.set(one, name);
  return (namespace) => byNamespace.get(namespace) ?? byNamespace.get('*') ?? null;
}

function trustVersion(settings: TrustSettings, isFile: boolean): TrustVersion {
  const tenants = settings.tenants.map(({ name, hosts }) => ({ name, hosts }));
  return {
    settings,
    plane: {
      tenants,
      egress: settings.egress,
      sharedObjects: settings.sharedObjects,
      ...(settings.auditQueueBytes === undefined ? {} : { auditQueueBytes: settings.auditQueueBytes }),
    },
    isFile,
    tenantOf: tenantsOf(settings.tenants),
    allowsExternalName: allowedHosts(settings.externalNames),
  };
}

/** Finds out whether a host name is one of these, or below a wildcard of them. */
export function allowedHosts(hosts: readonly string[]): (host: string) => boolean {
  const grants = new HostGrants([{ name: 'allowed', hosts }]);
  return (host) => grants.tenantOf(host) !== null;
}

/** What two may not both have, and what the schema cannot read. */
function clashes({ tenants, groups, egress }: TrustSettings): Problem[] {
  return [
    ...repeated(
      tenants.map(({ name }, at) => [name, ['tenants', at, 'name']]),
      (name) => `there is another tenant '${name}'`,
    ),
    ...repeated(
      tenants.flatMap(({ namespaces }, at) =>
        namespaces.map((one, index): Placed => [one, ['tenants', at, 'namespaces', index]]),
      ),
      (one) => (one === '*' ? 'another tenant already has "*"' : `the namespace '${one}' already belongs to a tenant`),
    ),
    ...repeated(
      tenants.flatMap(({ hosts }, at) => hosts.map((one, index): Placed => [one, ['tenants', at, 'hosts', index]])),
      (one) => `the host '${one}' is already listed`,
    ),
    ...repeated(
      groups.map(({ name }, at) => [name, ['groups', at, 'name']]),
      (name) => `there is another group '${name}'`,
    ),
    ...repeated(
      groups.flatMap(({ serviceAccounts }, at) =>
        serviceAccounts.map((one, index): Placed => [one, ['groups', at, 'serviceAccounts', index]]),
      ),
      (one) => `the ServiceAccount '${one}' already belongs to a group`,
    ),
    ...groups.flatMap(({ serviceAccounts, sidecars }, at) =>
      serviceAccounts.flatMap((one, index) =>
        sidecars || !one.endsWith('/*') ? [] : [error(['groups', at, 'serviceAccounts', index], wildcardMessage)],
      ),
    ),
    ...groups.flatMap(({ tenants: only = [] }, at) =>
      only.flatMap((one, index) =>
        tenants.some(({ name }) => name === one)
          ? []
          : [error(['groups', at, 'tenants', index], `there is no tenant '${one}'`)],
      ),
    ),
    ...(groups.length === 0
      ? [error(['groups'], 'must name a group: the first serves Routes without dataPlanes')]
      : []),
    ...egress.flatMap((text, at) => egressProblem(text, ['egress', at])),
  ];
}

const wildcardMessage =
  'only sidecars can have all ServiceAccounts of a namespace: other data planes get the Routes of all tenants, so list ' +
  'each ServiceAccount by name';

type Placed = readonly [text: string, path: Path];

function repeated(texts: readonly Placed[], message: (text: string) => string): Problem[] {
  const seen = new Map<string, Path>();
  return texts.flatMap(([text, path]): Problem[] => {
    const other = seen.get(text);
    if (other !== undefined) return [{ ...error(path, message(text)), code: 'duplicate-name', others: [other] }];
    seen.set(text, path);
    return [];
  });
}

function egressProblem(text: string, path: Path): Problem[] {
  try {
    readEgressRule(text);
    return [];
  } catch (fault) {
    if (!(fault instanceof ValueProblem)) throw fault;
    return [error(path, fault.message)];
  }
}

function error(path: Path, message: string): Problem {
  return { code: 'value', severity: 'error', path, message };
}
