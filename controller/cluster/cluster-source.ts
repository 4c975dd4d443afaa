import type { JsonObject } from '../../contract/document/json-value.ts';
import {
  GROUP,
  type Resource,
  type ResourceKind,
  resourceKey,
  resourceKinds,
  resourcePlurals,
  VERSION,
} from '../../contract/resources/resource.ts';
import { LayeredMap } from '../../platform/layered-map.ts';
import type { ResourceState } from '../compile/resources/resource-state.ts';
import { isSameResourceButStatus } from '../same-but-status.ts';
import type { ApiCaller } from './api/api-client.ts';
import { Reflector, type ReflectorTimes } from './api/reflector.ts';
import type { ReflectorFacts } from './api/reflector-facts.ts';
import { resourceOfObject } from './api/resource-of-object.ts';
import { resourcePath } from './api/resource-path.ts';
import { highestVersion, lowestVersion } from './api/resource-version.ts';
import { type BaseFiles, baseFiles, NO_BASE_FILES } from './base/base-files.ts';
import { PlatformFollower, type PlatformFollowerOptions } from './platform-follower.ts';
import { SecretsFollower } from './secrets-follower.ts';
import { ServicesFollower, type ServicesFollowerOptions } from './services/services-follower.ts';
import type { SourceFailure } from './source-failure.ts';

/** Whose resources count: those of all namespaces, of these, or of namespaces with these labels. */
export type NamespaceScope = 'all' | readonly string[] | { readonly labelSelector: string };

export interface ClusterSourceOptions {
  readonly api: ApiCaller;
  readonly namespaces: NamespaceScope;
  /** The ConfigMap of the base configuration. */
  readonly base: { readonly namespace: string; readonly name: string };
  /** Follows where control planes are; without it nothing is known of that. */
  readonly platform?: Pick<PlatformFollowerOptions, 'server' | 'controller'>;
  /**
   * Called after the state has changed, once it is synced.
   * @param isStatusOnly whether nothing but statuses of resources has, which is known without a look at the state
   */
  changed(isStatusOnly: boolean): void;
  /** Called when a Route has another spec than the one that was known of it, before the state has changed. */
  readonly specChanged?: (before: Resource, after: Resource) => void;
  /** Called when Services that are followed have other endpoints. */
  readonly endpointsChanged?: ServicesFollowerOptions['endpointsChanged'];
  /** Hears of failures; it goes on all the same. The message holds no secret. */
  failed?(failure: SourceFailure): void;
  readonly times?: Partial<ReflectorTimes>;
}

/**
 * What the cluster holds of ours, kept up to date. With a label selector everything of the cluster is followed and what
 * lies in other namespaces is left out: namespaces come and go with their labels, so that a role for each of them would
 * come too late.
 */
export class ClusterSource {
  private readonly options: ClusterSourceOptions;
  private readonly reflectors: ReadonlyMap<ResourceKind, readonly Reflector<Resource>[]>;
  private readonly base: Reflector<BaseFiles>;
  /** Null where namespaces are not chosen by label. */
  private readonly chosen: Reflector<string> | null;
  private readonly secrets: SecretsFollower;
  private readonly services: ServicesFollower;
  private readonly platform: PlatformFollower | null;
  private readonly views = new Map<ResourceKind, View>();
  private readonly listeners = new Set<() => void>();
  private hasSynced = false;
  private isClosed = false;
  /** Resolves when everything but Secrets has been listed once. */
  readonly synced: Promise<void>;

  constructor(options: ClusterSourceOptions) {
    this.options = options;
    this.reflectors = new Map(resourceKinds.map((kind) => [kind, this.resourceReflectors(kind)]));
    this.base = this.baseReflector();
    this.chosen = this.namespaceReflector();
    this.secrets = new SecretsFollower({
      api: options.api,
      changed: () => this.note(),
      failed: (error, scope) => options.failed?.({ kind: 'Secret', scope, error }),
      ...(options.times && { times: options.times }),
    });
    this.services = this.servicesFollower();
    this.platform = this.platformFollower();
    const listed = this.all.map((reflector): Promise<unknown> => reflector.synced);
    this.synced = Promise.all([...listed, this.platform?.settled]).then(() => {
      this.hasSynced = true;
    });
  }

  start(): void {
    for (const reflector of this.all) reflector.start();
    this.platform?.start();
  }

  /** As it is now. Its maps are the same ones until something in them changes. */
  get state(): ResourceState {
    return {
      routes: this.view('Route'),
      secretStores: this.view('SecretStore'),
      auditServices: this.view('AuditService'),
      secrets: this.secrets.secrets,
      services: this.services.services,
      trust: this.baseFiles.trust,
      ...(this.platform && { platform: this.platform.facts }),
      seen: highestVersion([...this.all.map(({ position }) => position), this.secrets.seen]),
      seenOf: (kind, key) => (kind === 'Secret' ? this.secrets.seenOf(key) : this.seenOf(kind, key)),
    };
  }

  get baseFiles(): BaseFiles {
    const [files = NO_BASE_FILES] = this.base.objects.values();
    return files;
  }

  /** The resources of a kind by `namespace/name`; the same map until one of them changes. */
  resources(kind: ResourceKind): ReadonlyMap<string, Resource> {
    return this.view(kind);
  }

  /** One resource; null for none. It costs no copy of all after a change. */
  resource(kind: ResourceKind, namespace: string, name: string): Resource | null {
    if (!this.isFollowed(namespace)) return null;
    for (const reflector of this.reflectors.get(kind) ?? []) {
      const found = reflector.get(resourceKey({ namespace, name }));
      if (found !== null) return found;
    }
    return null;
  }

  /** True for a namespace whose resources count. */
  isFollowed(namespace: string): boolean {
    const { namespaces } = this.options;
    return isNameList(namespaces) ? namespaces.includes(namespace) : (this.chosen?.objects.has(namespace) ?? true);
  }

  /** Namespaces whose resources count, as far as names or labels choose them; none if those of all namespaces count. */
  get chosenNamespaces(): readonly string[] {
    const { namespaces } = this.options;
    return isNameList(namespaces) ? namespaces : [...(this.chosen?.objects.keys() ?? [])];
  }

  /** Calls back after every change, until the result is called. */
  onChange(changed: () => void): () => void {
    this.listeners.add(changed);
    return () => void this.listeners.delete(changed);
  }

  /** The resourceVersion up to which it is known of every namespace which Routes there are; null before that is known. */
  get routesSeen(): string | null {
    return lowestVersion((this.reflectors.get('Route') ?? []).map(({ position }) => position));
  }

  /** The version of the Route with this uid, or the one at which it was gone; null when nothing is known of it. */
  routeVersion(uid: string): string | null {
    return highestVersion((this.reflectors.get('Route') ?? []).map((reflector) => reflector.versionOf(uid)));
  }

  get facts(): readonly ReflectorFacts[] {
    return [
      ...this.all.map(({ facts }) => facts),
      ...this.secrets.facts,
      ...this.services.facts,
      ...(this.platform?.reflectors ?? []),
    ];
  }

  /** Follows these Secrets, by `namespace/name`, and no others. */
  follow(wanted: Iterable<string>): void {
    if (!this.isClosed) this.secrets.follow(wanted);
  }

  /** Follows the endpoints of these Services, by `namespace/name`, and no others. */
  followServices(wanted: ReadonlySet<string>): void {
    if (!this.isClosed) this.services.follow(wanted);
  }

  /** Sets which host names Services of type ExternalName may stand for. */
  allowExternalNames(allows: (externalName: string) => boolean): void {
    if (!this.isClosed) this.services.allow(allows);
  }

  /** Follows the Pods of planes in these namespaces, beside that of the controllers. */
  followPlanes(namespaces: Iterable<string>): void {
    if (!this.isClosed) this.platform?.followPods(namespaces);
  }

  /** Whether Pods of planes are still to be listed. */
  get isAwaitingPlanes(): boolean {
    return this.platform?.isPending ?? false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const ends = this.all.map((reflector) => reflector.close());
    await Promise.all([...ends, this.secrets.close(), this.services.close(), this.platform?.close()]);
  }

  private get all(): readonly Followed[] {
    return [...[...this.reflectors.values()].flat(), this.base, ...(this.chosen === null ? [] : [this.chosen])];
  }

  private seenOf(kind: ResourceKind, key: string): string | null {
    const reflectors = this.reflectors.get(kind) ?? [];
    const [namespace] = key.split('/');
    const own = reflectors.find(({ scope }) => scope === namespace);
    return own === undefined ? lowestVersion(reflectors.map(({ position }) => position)) : own.position;
  }

  private note(isStatusOnly = false): void {
    if (!this.hasSynced || this.isClosed) return;
    this.options.changed(isStatusOnly);
    for (const changed of [...this.listeners]) changed();
  }

  private view(kind: ResourceKind): ReadonlyMap<string, Resource> {
    const parts = (this.reflectors.get(kind) ?? []).map(({ objects }) => objects);
    const chosen = this.chosen?.objects ?? null;
    const before = this.views.get(kind);
    if (before !== undefined && before.chosen === chosen && parts.every((part, at) => part === before.parts[at])) {
      return before.resources;
    }
    const resources = changedView(before, parts, chosen) ?? merged(parts, chosen);
    this.views.set(kind, { parts, chosen, resources });
    return resources;
  }

  private resourceReflectors(kind: ResourceKind): readonly Reflector<Resource>[] {
    const { namespaces } = this.options;
    const place = { group: GROUP, version: VERSION, plural: resourcePlurals[kind] };
    const take = (raw: JsonObject, before: Resource | null): Resource | null => {
      const after = resourceOfObject(kind, raw, before);
      const isOther = kind === 'Route' && before !== null && after !== null && before.generation !== after.generation;
      if (isOther) this.options.specChanged?.(before, after);
      return after;
    };
    const parts = { kind, take, isMinor: isSameResourceButStatus };
    if (!isNameList(namespaces)) return [this.reflector({ ...parts, scope: '', path: resourcePath(place) })];
    return [...new Set(namespaces)].map((namespace) =>
      this.reflector({ ...parts, scope: namespace, path: resourcePath({ ...place, namespace }) }),
    );
  }

  private servicesFollower(): ServicesFollower {
    const { api, endpointsChanged = () => {}, failed, times } = this.options;
    return new ServicesFollower({
      ...{ api, endpointsChanged, changed: () => this.note() },
      ...(failed && { failed }),
      ...(times && { times }),
    });
  }

  private platformFollower(): PlatformFollower | null {
    const { api, platform, failed, times } = this.options;
    if (platform === undefined) return null;
    return new PlatformFollower({
      api,
      ...platform,
      changed: () => this.note(),
      ...(failed && { failed }),
      ...(times && { times }),
    });
  }

  private baseReflector(): Reflector<BaseFiles> {
    const { namespace, name } = this.options.base;
    return this.reflector({
      kind: 'ConfigMap',
      scope: `${namespace}/${name}`,
      path: resourcePath({ version: 'v1', plural: 'configmaps', namespace }),
      fieldSelector: `metadata.name=${name}`,
      take: baseFiles,
    });
  }

  private namespaceReflector(): Reflector<string> | null {
    const { namespaces } = this.options;
    if (typeof namespaces === 'string' || isNameList(namespaces)) return null;
    const path = resourcePath({ version: 'v1', plural: 'namespaces' });
    const { labelSelector } = namespaces;
    const take = (_: JsonObject, before: string | null): string => before ?? 'chosen';
    return this.reflector({ kind: 'Namespace', scope: labelSelector, path, labelSelector, take });
  }

  private reflector<T>(parts: {
    readonly kind: string;
    readonly scope: string;
    readonly path: string;
    readonly fieldSelector?: string;
    readonly labelSelector?: string;
    take(raw: JsonObject, before: T | null): T | null;
    isMinor?(before: T, after: T): boolean;
  }): Reflector<T> {
    const { api, failed, times } = this.options;
    const { kind, scope } = parts;
    return new Reflector({
      api,
      ...parts,
      changed: (isMinor) => this.note(isMinor),
      ...(failed && { failed: (error) => failed({ kind, scope, error }) }),
      ...(times && { times }),
    });
  }
}

type Followed = Pick<Reflector<unknown>, 'synced' | 'position' | 'facts' | 'start' | 'close'>;

/** What the parts of a kind came to. */
interface View {
  readonly parts: readonly LayeredMap<Resource>[];
  readonly chosen: ReadonlyMap<string, string> | null;
  readonly resources: LayeredMap<Resource>;
}

/** The resources of a view with what changed in its parts since; null if everything has to be gone through. */
function changedView(before: View | undefined, parts: View['parts'], chosen: View['chosen']): View['resources'] | null {
  if (before?.chosen !== chosen || (parts.length === 1 && chosen === null)) return null;
  const changes = new Map<string, Resource | null>();
  for (const [at, part] of parts.entries()) {
    const changed = part.changedSince(before.parts[at]!);
    if (changed === null) return null;
    for (const key of changed) {
      const resource = part.get(key) ?? null;
      const counts = resource !== null && (chosen === null || chosen.has(resource.namespace));
      changes.set(key, counts ? resource : null);
    }
  }
  return before.resources.with(changes);
}

function merged(parts: View['parts'], chosen: View['chosen']): View['resources'] {
  const [first] = parts;
  if (first !== undefined && parts.length === 1 && chosen === null) return first;
  const resources = new Map<string, Resource>();
  for (const part of parts) {
    for (const [key, resource] of part) {
      if (chosen === null || chosen.has(resource.namespace)) resources.set(key, resource);
    }
  }
  return LayeredMap.of(resources);
}

function isNameList(namespaces: NamespaceScope): namespaces is readonly string[] {
  return Array.isArray(namespaces);
}
