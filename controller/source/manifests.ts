import { isDeepStrictEqual } from 'node:util';
import type { PlacedProblem } from '../../contract/document/document-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path, ProblemCode } from '../../contract/problem.ts';
import { readResource } from '../../contract/resources/read-resource.ts';
import {
  GROUP,
  type Resource,
  type ResourceKind,
  resourceKey,
  type SecretContent,
} from '../../contract/resources/resource.ts';
import { type BaseFiles, baseFiles, NO_BASE_FILES } from '../cluster/base/base-files.ts';
import { tlsSecretsOf } from '../compile/resources/certificates/route-tls.ts';
import type { ResourceState } from '../compile/resources/resource-state.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { type ManifestObject, manifestObjects } from './manifest-objects.ts';
import { manifestSecret } from './manifest-secret.ts';

export interface ManifestOptions {
  /** Where objects are that do not say so. */
  readonly namespace: string;
  /** The ConfigMap of the base configuration, as `namespace/name`; null for the only one that could be it; or none is. */
  readonly base: string | null | 'none';
}

/** What manifests say, as a cluster would after they were applied. */
export interface ManifestSet {
  readonly resources: ResourceState;
  readonly base: BaseFiles;
  /** Where each resource was found. */
  readonly origins: ReadonlyMap<Resource, ManifestObject>;
  /** What is wrong with files and objects apart from what the compiler says of resources. */
  readonly problems: readonly ManifestProblem[];
  /** Objects that are none of ours. */
  readonly skipped: readonly ManifestObject[];
}

/** A problem of a file, or of one object in it. */
export interface ManifestProblem {
  readonly file: SourceFile;
  readonly object: ManifestObject | null;
  readonly problem: PlacedProblem;
}

interface Known<T> {
  readonly raw: JsonObject;
  readonly made: T;
}

const BASE_KEYS = ['config.json', 'admin.json', 'trust.json'];

/** Reads manifests again and again; what did not change stays the same object, and what did gets a later version. */
export class Manifests {
  private readonly options: ManifestOptions;
  private resources = new Map<string, Known<Resource>>();
  private secrets = new Map<string, Known<SecretContent>>();
  private base: Known<BaseFiles> | null = null;
  private version = 0;

  constructor(options: ManifestOptions) {
    this.options = options;
  }

  read(files: readonly SourceFile[]): ManifestSet {
    const reading = new Reading();
    for (const file of files) {
      const { objects, problems } = manifestObjects(file);
      for (const problem of problems) reading.problems.push({ file, object: null, problem });
      for (const object of objects) this.take(object, reading);
    }
    this.resources = reading.resources;
    this.secrets = reading.secrets;
    this.base = this.baseOf(reading);
    return reading.result(this.base?.made ?? NO_BASE_FILES);
  }

  private take(object: ManifestObject, reading: Reading): void {
    const { apiVersion, kind } = object.value;
    const isOurs = typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`);
    if (isOurs) this.takeResource(object, reading);
    else if (apiVersion === 'v1' && kind === 'Secret') this.takeSecret(object, reading);
    else if (apiVersion === 'v1' && kind === 'ConfigMap') this.takeConfigMap(object, reading);
    else if (typeof apiVersion === 'string' && typeof kind === 'string') reading.skipped.push(object);
    else
      reading.problems.push(
        problemOf(object, 'missing', [], "this is not a Kubernetes object: it has no 'apiVersion' and 'kind'"),
      );
  }

  private takeResource(object: ManifestObject, reading: Reading): void {
    const { resource, problems } = readResource(object.value, { namespace: this.options.namespace });
    if (resource === null) {
      for (const problem of problems) reading.problems.push({ file: object.file, object, problem });
      return;
    }
    // what is wrong with the spec is the compiler's to tell
    for (const problem of problems.filter(({ path }) => path[0] !== 'spec' || path.length === 1)) {
      reading.problems.push({ file: object.file, object, problem });
    }
    const key = `${resource.kind}/${resourceKey(resource)}`;
    if (reading.resources.has(key)) {
      reading.problems.push(twice(object, resource.kind));
      return;
    }
    const known = this.resources.get(key);
    const made =
      known !== undefined && isDeepStrictEqual(known.raw, object.value) ? known.made : this.made(resource, key, known);
    reading.resources.set(key, { raw: object.value, made });
    reading.origins.set(made, object);
  }

  private made(resource: Resource, uid: string, known: Known<Resource> | undefined): Resource {
    const before = known?.made;
    const isSame = before !== undefined && isDeepStrictEqual(before.spec, resource.spec);
    const generation = (before?.generation ?? 0) + (isSame ? 0 : 1);
    return { ...resource, uid, resourceVersion: this.nextVersion(), generation };
  }

  private takeConfigMap(object: ManifestObject, reading: Reading): void {
    const key = this.keyOf(object);
    if (reading.configMaps.has(key)) reading.problems.push(twice(object, 'ConfigMap'));
    else reading.configMaps.set(key, object);
  }

  private takeSecret(object: ManifestObject, reading: Reading): void {
    const key = this.keyOf(object);
    if (reading.secrets.has(key)) {
      reading.problems.push(twice(object, 'Secret'));
      return;
    }
    const { type, data, problems } = manifestSecret(object.value);
    for (const problem of problems) reading.problems.push({ file: object.file, object, problem });
    const known = this.secrets.get(key);
    const isSame = known !== undefined && isDeepStrictEqual(known.raw, object.value);
    const [namespace = '', name = ''] = key.split('/');
    const version = { uid: `Secret/${key}`, resourceVersion: isSame ? known.made.resourceVersion : this.nextVersion() };
    const made = isSame ? known.made : { namespace, name, ...version, type, data };
    reading.secrets.set(key, { raw: object.value, made });
  }

  private baseOf(reading: Reading): Known<BaseFiles> | null {
    const chosen = this.chosenBase(reading);
    for (const object of reading.configMaps.values()) if (object !== chosen) reading.skipped.push(object);
    if (chosen === null) return null;
    const raw = chosen.value;
    if (this.base !== null && isDeepStrictEqual(this.base.raw, raw)) return this.base;
    const [namespace = '', name = ''] = this.keyOf(chosen).split('/');
    const metadata = { namespace, name, uid: `ConfigMap/${namespace}/${name}`, resourceVersion: this.nextVersion() };
    const made = baseFiles({ ...raw, metadata }, this.base?.made ?? null);
    return made === null ? null : { raw, made };
  }

  /** The ConfigMap of the base configuration; null when there is none or it is not known which one is. */
  private chosenBase({ configMaps, ...reading }: Reading): ManifestObject | null {
    const { base } = this.options;
    if (base === 'none') return null;
    if (base !== null) {
      const named = configMaps.get(base);
      if (named !== undefined) return named;
      const file = { path: `ConfigMap ${base}`, content: new Uint8Array() };
      const problem = {
        code: 'missing',
        severity: 'error',
        path: [],
        message: 'is not among the manifests',
      } as const;
      reading.problems.push({ file, object: null, problem });
      return null;
    }
    const [only = null, ...others] = [...configMaps.values()].filter(isBase);
    for (const object of others) {
      const message = `it is not known whether this or ConfigMap ${this.keyOf(only!)} is the base configuration`;
      reading.problems.push(problemOf(object, 'exclusive', [], message));
    }
    return others.length === 0 ? only : null;
  }

  private keyOf({ value: { metadata } }: ManifestObject): string {
    const { namespace = this.options.namespace, name = '' } = isJsonObject(metadata) ? metadata : {};
    return resourceKey({ namespace: String(namespace), name: String(name) });
  }

  private nextVersion(): string {
    return String(++this.version);
  }
}

/** Whether a ConfigMap has what a base configuration is made of. */
function isBase({ value: { data } }: ManifestObject): boolean {
  return isJsonObject(data) && BASE_KEYS.some((key) => data[key] !== undefined);
}

function problemOf(object: ManifestObject, code: ProblemCode, path: Path, message: string): ManifestProblem {
  return { file: object.file, object, problem: { code, severity: 'error', path, message } };
}

function twice(object: ManifestObject, kind: string): ManifestProblem {
  return problemOf(object, 'duplicate-name', ['metadata', 'name'], `there is another ${kind} of this name`);
}

/** What is found while files are read. */
class Reading {
  readonly resources = new Map<string, Known<Resource>>();
  readonly secrets = new Map<string, Known<SecretContent>>();
  readonly configMaps = new Map<string, ManifestObject>();
  readonly origins = new Map<Resource, ManifestObject>();
  readonly problems: ManifestProblem[] = [];
  readonly skipped: ManifestObject[] = [];

  result(base: BaseFiles): ManifestSet {
    const { origins, problems, skipped } = this;
    const secrets = new Map<string, SecretContent | null>();
    const stores = this.ofKind('SecretStore');
    for (const { namespace, spec } of stores.values()) {
      for (const name of namesIn(spec['secrets'])) secrets.set(resourceKey({ namespace, name }), null);
    }
    const routes = this.ofKind('Route');
    for (const route of routes.values()) for (const key of tlsSecretsOf(route)) secrets.set(key, null);
    for (const [key, { made }] of this.secrets) secrets.set(key, made);
    const resources: ResourceState = {
      routes,
      secretStores: stores,
      auditServices: this.ofKind('AuditService'),
      secrets,
      trust: base.trust,
      seen: null,
    };
    return { resources, base, origins, problems, skipped };
  }

  private ofKind(kind: ResourceKind): ReadonlyMap<string, Resource> {
    const found = [...this.resources.values()].map(({ made }) => made).filter((one) => one.kind === kind);
    return new Map(found.map((one) => [resourceKey(one), one]));
  }
}

/** The names of the Secrets that a store asks for: those that no file has are known not to be there. */
function namesIn(secrets: JsonValue | undefined): string[] {
  if (!Array.isArray(secrets)) return [];
  return (secrets as readonly JsonValue[]).flatMap((one) =>
    isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : [],
  );
}
