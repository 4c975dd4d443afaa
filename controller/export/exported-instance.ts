import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { hideSecrets } from '../../contract/hiding/hidden-secrets.ts';
import type { Reach } from '../../contract/reach.ts';
import { CONSENT, CONSENT_LABEL, GROUP, VERSION } from '../../contract/resources/resource.ts';
import type { FoundRouter } from '../compile/checker.ts';
import { documentOf } from '../compile/document-of.ts';
import { type ResolvedDocument, withoutSchema } from '../compile/resolve-document.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { type DocumentPair, heapStores, valueAt, withoutStores, withValueAt } from './document-stores.ts';
import { ExportedNames } from './exported-names.ts';
import { type ExportedStore, exportedStore, type StoreSource } from './exported-store.ts';

/** A route of an instance. */
export interface InstanceRoute {
  readonly file: SourceFile;
  readonly id: string;
  readonly name: string;
}

export interface ExportOptions {
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly baseName: string;
  /** Whether what is secret is written out; otherwise Secrets are empty, and stars stand for what documents hold. */
  readonly includesSecrets: boolean;
  readonly reach: Pick<Reach, 'readFile' | 'listDirectory'>;
  /** The files of the base configuration, by name. */
  readonly files: ReadonlyMap<'config.json' | 'admin.json' | 'trust.json', SourceFile>;
  readonly routes: readonly InstanceRoute[];
  /** The router that resources are routes of; null when there is none. */
  readonly router: FoundRouter | null;
  /** Replaces the tokens of a document: of `config.json`, or of a route in it. */
  resolve(file: SourceFile, role: 'config' | 'route'): ResolvedDocument;
  /** Whether `config.json` is sound without something. */
  isSoundBase(document: JsonObject): boolean;
}

/** An instance as Kubernetes resources, with the tasks that remain for a person. */
export interface ExportedInstance {
  /** Objects of Kubernetes, in the order in which they may be applied. */
  readonly objects: readonly JsonObject[];
  readonly remarks: readonly string[];
}

/** Turns an instance into resources. They still have to be judged: not everything that an operator may do, a tenant may. */
export function exportedInstance(options: ExportOptions): ExportedInstance {
  const { namespace, routes, router, files, includesSecrets } = options;
  const remarks: string[] = [];
  const stores = new StoreExport(options, remarks);
  const config = files.get('config.json');
  const base = config === undefined ? null : pairOf(config, options.resolve(config, 'config'));
  const baseStores = base === null ? new Map<string, StoreSource>() : heapStores(base, () => null);
  const names = new ExportedNames();
  const tokens = new Map<string, string>();
  const exported = routes.flatMap((route): JsonObject[] => {
    const resolved = options.resolve(route.file, 'route');
    const pair = pairOf(route.file, resolved);
    if (pair === null) {
      remarks.push(`${route.file.path}: cannot be read; it is not exported`);
      return [];
    }
    const metadata = { name: names.give(route.id, 'route'), namespace };
    const own = heapStores(pair, (name) => baseStores.get(name) ?? null);
    const find = (name: string): StoreSource | null => own.get(name) ?? baseStores.get(name) ?? null;
    const bare = withoutStores(pair, find, (store) => stores.nameFor(store, metadata.name));
    const { written } = withNames(bare, route.name, router, (name) => {
      const store = find(name);
      return store === null ? null : stores.nameFor(store, name);
    });
    for (const [name, value] of sharedTokens(written, resolved, config, includesSecrets)) tokens.set(name, value);
    const { _id: _, name: __, ...document } = written;
    const spec = hidden({ name: route.name, ...document }, includesSecrets, route.file.path, remarks);
    return [{ ...header('Route'), metadata, spec }];
  });
  const moved = new Set([...baseStores].filter(([, store]) => stores.has(store)).map(([name]) => name));
  const configMap = baseObject(options, withoutMoved(options, base, moved), tokens, remarks);
  return { objects: [configMap, ...stores.objects, ...exported], remarks };
}

function header(kind: string): JsonObject {
  return { apiVersion: `${GROUP}/${VERSION}`, kind };
}

function pairOf(file: SourceFile, { document: resolved }: ResolvedDocument): DocumentPair | null {
  const value = withoutSchema(documentOf(file).value);
  return isJsonObject(value) && resolved !== null ? { written: value, resolved } : null;
}

/** Puts the names of SecretStores where a document refers to stores that it can no longer have by the names they had. */
function withNames(
  { written, resolved }: DocumentPair,
  routeName: string,
  router: FoundRouter | null,
  nameFor: (name: string) => string | null,
): DocumentPair {
  const means = { sharedObjects: new Set<string>(), files: {} };
  const unknown = router?.route(resolved, routeName, means).unknownReferences ?? [];
  let document: JsonValue = written;
  for (const { name, path } of unknown) {
    const given = nameFor(name);
    if (given !== null && valueAt(document, path) !== undefined) document = withValueAt(document, path, given);
  }
  return { written: isJsonObject(document) ? document : written, resolved };
}

/**
 * Tokens of a route whose values `config.json` gives, which tenants do not see. A value that is not written there comes
 * from elsewhere and may be secret.
 */
function sharedTokens(
  written: JsonObject,
  { properties }: ResolvedDocument,
  config: SourceFile | undefined,
  includesSecrets: boolean,
): Map<string, string> {
  const found = new Map<string, string>();
  const text = config === undefined ? '' : new TextDecoder().decode(config.content);
  for (const [, name = ''] of JSON.stringify(written).matchAll(/&\{([^}|]+)/g)) {
    const value = properties.tokens.has(name) ? undefined : properties.token(name);
    if (value !== undefined && (includesSecrets || text.includes(JSON.stringify(value)) || text.includes(value))) {
      found.set(name, value);
    }
  }
  return found;
}

/** Documents may hold secrets in their text: stars take their place unless they are asked for. */
function hidden(spec: JsonObject, includesSecrets: boolean, path: string, remarks: string[]): JsonObject {
  const text = JSON.stringify(spec);
  const shown = hideSecrets(text);
  if (includesSecrets || shown === text) return spec;
  remarks.push(`${path}: contains secrets, which are replaced by stars; provide them with a SecretStore`);
  return JSON.parse(shown) as JsonObject;
}

/** The files of the base configuration; stores that became resources are left out when nothing else there uses them. */
function withoutMoved(
  { files, isSoundBase }: ExportOptions,
  base: DocumentPair | null,
  moved: ReadonlySet<string>,
): ExportOptions['files'] {
  const config = files.get('config.json');
  const heap = base?.written['heap'];
  if (config === undefined || base === null || !Array.isArray(heap) || moved.size === 0) return files;
  const stays = (object: JsonValue): boolean => !isJsonObject(object) || !moved.has(String(object['name']));
  const known = base.resolved['heap'] as readonly JsonValue[];
  if (!isSoundBase({ ...base.resolved, heap: known.filter(stays) })) return files;
  const document = { ...base.written, heap: (heap as readonly JsonValue[]).filter(stays) };
  const content = Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
  return new Map([...files, ['config.json', { ...config, content }]]);
}

function baseObject(
  { namespace, baseName, includesSecrets }: ExportOptions,
  files: ExportOptions['files'],
  tokens: ReadonlyMap<string, string>,
  remarks: string[],
): JsonObject {
  const data: Record<string, string> = {};
  for (const [name, file] of files) {
    const text = new TextDecoder().decode(file.content);
    const shown = includesSecrets ? text : hideSecrets(text);
    if (shown !== text) remarks.push(`${file.path}: contains secrets, which are replaced by stars`);
    data[name] = shown;
  }
  const trust = files.get('trust.json');
  const written = trust === undefined ? {} : documentOf(trust).value;
  if (tokens.size > 0 && isJsonObject(written)) {
    const own = isJsonObject(written['tokens']) ? written['tokens'] : {};
    data['trust.json'] =
      `${JSON.stringify({ ...written, tokens: { ...Object.fromEntries(tokens), ...own } }, null, 2)}\n`;
  }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: baseName, namespace }, data };
}

/** The SecretStores that routes need, each once. */
class StoreExport {
  private readonly options: ExportOptions;
  private readonly remarks: string[];
  private readonly names = new ExportedNames();
  private readonly made: { readonly name: string; readonly source: StoreSource; readonly store: ExportedStore }[] = [];

  constructor(options: ExportOptions, remarks: string[]) {
    this.options = options;
    this.remarks = remarks;
  }

  /** Whether a store became a resource, or a part of one. */
  has(source: StoreSource): boolean {
    return this.made.some(({ source: one }) => {
      const { secretsProvider } = isJsonObject(one.resolved['config']) ? one.resolved['config'] : {};
      return one === source || (typeof secretsProvider === 'string' && one.other(secretsProvider) === source);
    });
  }

  /** The name of the SecretStore for a store: the same for one that is declared alike. */
  nameFor(source: StoreSource, wanted: string): string {
    const alike = ({ source: known }: { readonly source: StoreSource }): boolean =>
      known === source ||
      (isDeepStrictEqual(known.written, source.written) && known.resolved['name'] === source.resolved['name']);
    const known = this.made.find(alike);
    if (known !== undefined) return known.name;
    const { name: written } = source.resolved;
    const name = this.names.give(typeof written === 'string' ? written : `${wanted}-secrets`, 'secrets');
    const store = exportedStore(source, this.options.reach);
    this.made.push({ name, source, store });
    for (const file of store.left) {
      this.remarks.push(`SecretStore ${name}: the file '${file}' cannot be a key of its Secret; it is not exported`);
    }
    for (const [key, content] of store.data) {
      if (content === null) this.remarks.push(`SecretStore ${name}: the file '${key}' cannot be read`);
    }
    return name;
  }

  get objects(): JsonObject[] {
    const { namespace, includesSecrets } = this.options;
    return this.made.flatMap(({ name, store: { type, config, items, data } }): JsonObject[] => {
      const metadata = { name, namespace };
      const secrets = items.length === 0 ? {} : { secrets: [{ name, items }] };
      const settings = Object.keys(config).length === 0 ? {} : { config };
      const resource: JsonObject = { ...header('SecretStore'), metadata, spec: { type, ...settings, ...secrets } };
      const values = [...data].flatMap(([key, content]) =>
        content === null || !includesSecrets ? [] : [[key, Buffer.from(content).toString('base64')] as const],
      );
      const secret: JsonObject = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...metadata, labels: { [CONSENT_LABEL]: CONSENT } },
        ...(values.length === 0 ? {} : { data: Object.fromEntries(values) }),
      };
      if (!includesSecrets && data.size > 0) {
        this.remarks.push(`Secret ${namespace}/${name}: add the keys ${[...data.keys()].join(', ')}`);
      }
      return items.length === 0 ? [resource] : [secret, resource];
    });
  }
}
