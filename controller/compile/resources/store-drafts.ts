import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import type { Path, Problem } from '../../../contract/problem.ts';
import { isAllowedTo } from '../../../contract/resources/allowed-namespaces.ts';
import { type Resource, resourceKey, type SecretContent } from '../../../contract/resources/resource.ts';
import { type SecretStoreSpec, secretStoreSpec } from '../../../contract/resources/secret-store-resource.ts';
import type { SharedObjects } from '../../../contract/snapshot.ts';
import { parsePlain } from '../../../contract/vocabulary/parse-config.ts';
import { workTogether } from '../../../contract/work-budget.ts';
import type { UnknownReference } from '../checker.ts';
import { hasErrors } from '../verdict.ts';
import type { PassTerms } from './pass-terms.ts';
import type { ReferenceFault } from './reference-fault.ts';
import type { ResourceState } from './resource-state.ts';
import {
  isResourceName,
  MOST_CHARACTERS,
  referredResource,
  sharedObjects,
  withStores,
} from './shared/shared-objects.ts';
import { type StoreDeclaration, storeDeclaration } from './store-declaration.ts';
import { secretKeysOf, storeSecrets } from './store-secrets.ts';
import { unjudgeable } from './unjudgeable.ts';

/** A SecretStore as it was judged. The same object is the same store with the same secrets. */
export interface StoreDraft {
  readonly key: string;
  /** Their paths begin at the spec. */
  readonly problems: readonly Problem[];
  readonly faults: readonly ReferenceFault[];
  readonly offer: StoreOffer;
  /** What data planes build: itself under its key, and the stores that it needs; null when it cannot be used. */
  readonly resource: Omit<SharedObjects, 'sources'> | null;
}

/**
 * A SecretStore as Routes see it. It stays the same object until that view changes, regardless of the content of its
 * Secrets.
 */
export interface StoreOffer {
  readonly key: string;
  /** The type of the object that Routes refer to. */
  readonly type: string;
  /** Why no Route can use it; null when they can. */
  readonly fault: Omit<ReferenceFault, 'path'> | null;
  readonly allowedNamespaces: readonly string[];
  /** The keys of all SecretStores and Secrets that it is made of, its own first. */
  readonly stores: readonly string[];
  readonly secrets: readonly string[];
  /** Names of the objects of `config.json` that it refers to. */
  readonly uses: readonly string[];
}

/** Result of looking up a store by name. */
export type FoundStore =
  | { readonly key: string; readonly draft: StoreDraft; readonly fault: null }
  | { readonly key: string; readonly draft: StoreDraft | null; readonly fault: Omit<ReferenceFault, 'path'> };

interface KnownStore {
  readonly resource: Resource;
  readonly terms: PassTerms;
  readonly secrets: readonly (readonly [key: string, content: SecretContent | null | undefined])[];
  readonly needed: readonly (readonly [key: string, draft: StoreDraft | null])[];
  readonly draft: StoreDraft;
}

/** State of stores that is kept between compilations. */
export type StoreMemory = Map<string, KnownStore>;

/** The kinds of references that a SecretStore can stand for. */
const STORE_KINDS: ReadonlySet<UnknownReference['kind']> = new Set(['secretsProvider', 'secretStore']);

/** Whether a name that leads nowhere in its document may be that of a SecretStore. */
export function isStoreReference({ kind, name }: Pick<UnknownReference, 'kind' | 'name'>): boolean {
  return STORE_KINDS.has(kind) && isResourceName(name);
}

/** The SecretStores at one moment, each of which is judged once for what it is made of. */
export class StoreDrafts {
  private readonly terms: PassTerms;
  private readonly state: Pick<ResourceState, 'secretStores' | 'secrets'>;
  private readonly memory: StoreMemory;
  private readonly beyond: ReadonlySet<string>;
  private readonly found = new Map<string, StoreDraft | null>();
  /** Those that need each other, and those that need them. */
  private readonly endless = new Set<StoreDraft>();

  /** @param beyond Secrets that are not read, because their namespace names too many */
  constructor(
    terms: PassTerms,
    state: Pick<ResourceState, 'secretStores' | 'secrets'>,
    memory: StoreMemory,
    beyond: ReadonlySet<string>,
  ) {
    this.terms = terms;
    this.state = state;
    this.memory = memory;
    this.beyond = beyond;
  }

  /** The store under this key; null when there is none. */
  get(key: string): StoreDraft | null {
    return this.at(key, []);
  }

  /** What a name leads to that a document of this namespace has. */
  find(name: string, namespace: string, trail: readonly string[] = []): FoundStore {
    const { key, owner } = referredResource(name, namespace);
    if (trail.includes(key)) {
      const message = `the SecretStores reference each other: ${[...trail, key].join(' → ')}`;
      return { key, draft: null, fault: { reason: 'StoreInvalid', message } };
    }
    const draft = this.at(key, trail);
    if (draft === null) {
      return { key, draft, fault: { reason: 'StoreNotFound', message: `there is no SecretStore ${key}` } };
    }
    const { allowedNamespaces, fault } = draft.offer;
    if (!isAllowedTo(namespace, owner, allowedNamespaces)) {
      const message = `spec.allowedNamespaces of the SecretStore ${key} does not list the namespace ${namespace}`;
      return { key, draft, fault: { reason: 'StoreNotGranted', message } };
    }
    return fault === null ? { key, draft, fault: null } : { key, draft, fault };
  }

  /** Forgets stores that are gone. */
  sweep(): void {
    for (const key of this.memory.keys()) if (!this.state.secretStores.has(key)) this.memory.delete(key);
  }

  private at(key: string, trail: readonly string[]): StoreDraft | null {
    const looked = this.found.get(key);
    if (looked !== undefined) return looked;
    const resource = this.state.secretStores.get(key);
    const draft = resource === undefined ? null : (this.remembered(key, resource) ?? this.made(key, resource, trail));
    this.found.set(key, draft);
    return draft;
  }

  private remembered(key: string, resource: Resource): StoreDraft | null {
    const known = this.memory.get(key);
    if (known === undefined || known.terms !== this.terms || !sameSpec(known.resource, resource)) return null;
    if (known.secrets.some(([name, content]) => this.state.secrets.get(name) !== content)) return null;
    // what is endless is never kept, so that this ends
    if (known.needed.some(([name, draft]) => this.get(name) !== draft)) return null;
    return known.draft;
  }

  private made(key: string, resource: Resource, trail: readonly string[]): StoreDraft {
    if (resource.excess !== undefined) return this.unusable(key, resource, resource.excess);
    try {
      return workTogether(() => this.make(key, resource, trail));
    } catch (error) {
      return this.unusable(key, resource, unjudgeable(error));
    }
  }

  private unusable(key: string, resource: Resource, problem: Problem): StoreDraft {
    const fault = faultOf(key, [], [problem]);
    const offer = { key, type: '', fault, allowedNamespaces: [], stores: [key], secrets: [], uses: [] };
    const draft = { key, problems: [problem], faults: [], offer: this.sameOffer(offer), resource: null };
    this.memory.set(key, { resource, terms: this.terms, secrets: [], needed: [], draft });
    return draft;
  }

  private make(key: string, resource: Resource, trail: readonly string[]): StoreDraft {
    const { namespace } = resource;
    const parsed = parsePlain<SecretStoreSpec>(secretStoreSpec, resource.spec, []);
    const spec = parsed.value ?? specSeen(resource.spec);
    const resolved = this.terms.resolve({ config: isJsonObject(spec.config) ? spec.config : {} }, null);
    const secrets = storeSecrets(namespace, spec, this.state.secrets, this.beyond);
    const config = resolved.document?.['config'] ?? {};
    const declared = storeDeclaration(key, { ...resource.spec, config }, secrets);
    const judged = this.judge(key, declared);
    const needs = judged.unknownReferences.filter(isStoreReference);
    const found = needs.map(({ name, path }) => ({ path, ...this.find(name, namespace, [...trail, key]) }));
    const isOfNoType = judged.problems.some(({ severity, path: [first] }) => severity === 'error' && first === 'type');
    const problems = [
      ...parsed.problems,
      ...resolved.problems,
      ...(isOfNoType ? secrets.problems : declared.problems),
      ...resolved.told(judged.problems.filter((problem) => !isAbout(problem, needs))),
      ...tooLong(declared),
    ];
    const faults = [
      ...secrets.faults,
      ...found.flatMap(({ fault, path }) => (fault === null ? [] : [{ ...fault, path }])),
    ];
    const inner = found.flatMap(({ draft }) => draft ?? []);
    const own = { name: key, type: declared.type, config: declared.config };
    const fault = faultOf(key, faults, problems);
    const secretKeys = secretKeysOf(namespace, spec);
    const { objects, files } = withStores(own, declared.files, found);
    const offer: StoreOffer = {
      key,
      type: String(declared.type),
      fault,
      allowedNamespaces: spec.allowedNamespaces ?? [],
      stores: [key, ...found.map((one) => one.key), ...inner.flatMap((one) => one.offer.stores)],
      secrets: [...secretKeys, ...inner.flatMap((one) => one.offer.secrets)],
      uses: fault === null ? this.usesOf(key, objects, files) : [],
    };
    const draft: StoreDraft = {
      key,
      problems,
      faults,
      offer: this.sameOffer(offer),
      resource: fault === null ? sharedObjects(storeResourceKey(key), objects, files) : null,
    };
    const needsItself = found.some(({ key: name }) => name === key || trail.includes(name));
    if (needsItself || inner.some((one) => this.endless.has(one))) {
      this.endless.add(draft);
      this.memory.delete(key);
    } else {
      this.memory.set(key, {
        resource,
        terms: this.terms,
        secrets: secretKeys.map((name) => [name, this.state.secrets.get(name)]),
        needed: found.map(({ key: name, draft: one }) => [name, one]),
        draft,
      });
    }
    return draft;
  }

  /** The offer as it was before, if Routes see no difference. */
  private sameOffer(offer: StoreOffer): StoreOffer {
    const before = this.memory.get(offer.key)?.draft.offer;
    return before !== undefined && isDeepStrictEqual(before, offer) ? before : offer;
  }

  private usesOf(key: string, heap: readonly JsonObject[], files: StoreDeclaration['files']): readonly string[] {
    const { router, sharedObjects: shared } = this.terms;
    return router.uses({ heap }, key, { sharedObjects: shared, files });
  }

  private judge(key: string, { type, config, files }: StoreDeclaration): ReturnType<PassTerms['router']['store']> {
    const { router, sharedObjects } = this.terms;
    return router.store({ name: key, type, config }, { sharedObjects, files });
  }
}

/** The key under which data planes get a SecretStore. */
export function storeResourceKey(key: string): string {
  return `SecretStore/${key}`;
}

/** Why no Route can use a store; null when they can. */
function faultOf(key: string, [first]: readonly ReferenceFault[], problems: readonly Problem[]): StoreOffer['fault'] {
  if (hasErrors(problems)) return { reason: 'StoreInvalid', message: `the SecretStore ${key} is not valid` };
  return first === undefined ? null : { reason: first.reason, message: `the SecretStore ${key}: ${first.message}` };
}

/** What is longer cannot be sent to data planes in one message. */
function tooLong({ config, files }: StoreDeclaration): Problem[] {
  const length = JSON.stringify(config).length + Object.values(files).reduce((sum, one) => sum + one.length, 0);
  if (length <= MOST_CHARACTERS) return [];
  const message = `the Secrets have ${length} characters in base64, more than the ${MOST_CHARACTERS} that a store may have`;
  return [{ code: 'value', severity: 'error', path: ['secrets'], message, hint: 'make several stores of it' }];
}

/** Whether two versions of a resource ask for the same: a status may have been written in between. */
export function sameSpec(a: Resource, b: Resource): boolean {
  return (
    a === b ||
    (a.uid === b.uid &&
      resourceKey(a) === resourceKey(b) &&
      a.excess?.message === b.excess?.message &&
      (a.spec === b.spec || isDeepStrictEqual(a.spec, b.spec)))
  );
}

/** The wanted Secrets of a store, sound or not. */
export function secretsOf({ namespace, spec }: Resource): string[] {
  return secretKeysOf(namespace, specSeen(spec));
}

/** What can be seen of a spec that is not sound. */
function specSeen(spec: JsonObject): SecretStoreSpec {
  const parsed = secretStoreSpec.safeParse(spec);
  if (parsed.success) return parsed.data;
  const { secrets, allowedNamespaces } = secretStoreSpec.shape;
  const [seen, allowed] = [secrets.safeParse(spec['secrets']), allowedNamespaces.safeParse(spec['allowedNamespaces'])];
  return {
    type: typeof spec['type'] === 'string' ? spec['type'] : '',
    ...(seen.success && seen.data !== undefined ? { secrets: seen.data } : {}),
    ...(allowed.success && allowed.data !== undefined ? { allowedNamespaces: allowed.data } : {}),
  };
}

/** Whether a problem only says that one of these names leads nowhere. */
export function isAbout({ code, path }: Problem, references: readonly UnknownReference[]): boolean {
  return code === 'reference' && references.some((one) => samePath(one.path, path));
}

function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}
