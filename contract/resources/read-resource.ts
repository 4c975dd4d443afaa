import { boundsProblem } from '../document/document-bounds.ts';
import { isJsonObject, type JsonObject, type JsonValue, kindOf } from '../document/json-value.ts';
import type { Path, Problem, ProblemCode } from '../problem.ts';
import { parsePlain } from '../vocabulary/parse-config.ts';
import { auditServiceSpec } from './audit-service-resource.ts';
import { GROUP, type LastGoodMark, type Resource, type ResourceKind, resourceKinds, VERSION } from './resource.ts';
import { routeSpec } from './route-resource.ts';
import { secretStoreSpec } from './secret-store-resource.ts';

/** Result of reading a Kubernetes object. */
export interface ResourceReading {
  /** Null when it is not known which resource it is. One whose spec has problems is there: others must hear of it. */
  readonly resource: Resource | null;
  /** Their paths begin at the object: `spec.dataPlanes.matchLabels`. */
  readonly problems: readonly Problem[];
}

/** Defaults for fields that an object does not set. */
export interface ObjectDefaults {
  readonly kind?: ResourceKind;
  readonly namespace?: string;
}

const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const KNOWN = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** Turns an object as an API server or a manifest has it into a resource. */
export function readResource(raw: JsonValue, defaults: ObjectDefaults = {}): ResourceReading {
  const problems: Problem[] = [];
  const fault = (path: Path, message: string, code: ProblemCode = 'value'): null => {
    problems.push({ code, severity: 'error', path, message });
    return null;
  };
  if (!isJsonObject(raw)) return { resource: fault([], `must be an object, not ${kindOf(raw)}`), problems };
  const kind = resourceKinds.find((one) => one === (raw['kind'] ?? defaults.kind));
  if (kind === undefined) return { resource: fault(['kind'], `must be ${resourceKinds.join(', ')}`), problems };
  const { apiVersion = `${GROUP}/${VERSION}`, metadata, spec } = raw;
  if (apiVersion !== `${GROUP}/${VERSION}`) fault(['apiVersion'], `must be ${GROUP}/${VERSION}`);
  for (const key of Object.keys(raw)) {
    if (!KNOWN.includes(key)) fault([key], `there is no field '${key}' here`, 'unknown-field');
  }
  if (!isJsonObject(metadata)) return { resource: fault(['metadata'], 'is required', 'missing'), problems };
  const { name, namespace = defaults.namespace } = metadata;
  if (!isName(name, NAME, 253)) {
    return { resource: fault(['metadata', 'name'], 'must be a name as Kubernetes has them'), problems };
  }
  if (!isName(namespace, NAMESPACE, 63)) {
    return { resource: fault(['metadata', 'namespace'], 'must be the name of a namespace'), problems };
  }
  const excess = isJsonObject(spec) ? boundsProblem(spec) : null;
  if (excess !== null) problems.push({ ...excess, path: ['spec'] });
  else if (isJsonObject(spec)) problems.push(...specProblems(kind, spec));
  else if (spec === undefined) fault(['spec'], 'is required', 'missing');
  else fault(['spec'], `must be an object, not ${kindOf(spec)}`);
  const resource = resourceOf(raw, metadata, { kind, namespace, name });
  return { resource: excess === null ? resource : { ...resource, spec: {}, excess }, problems };
}

const schemas = { Route: routeSpec, SecretStore: secretStoreSpec, AuditService: auditServiceSpec };
/** Of a Route the rest is its document, which the compiler judges. */
const ROUTE_FIELDS: ReadonlySet<unknown> = new Set(['name', 'dataPlanes', 'tls', 'onInvalid', '_id']);

/** Problems of a spec that document validation does not find; paths begin with `spec`. */
export function specProblems(kind: ResourceKind, spec: JsonObject): Problem[] {
  const problems = [...parsePlain<unknown>(schemas[kind], spec, ['spec']).problems];
  return kind === 'Route' ? problems.filter(({ path }) => ROUTE_FIELDS.has(path[1])) : problems;
}

function resourceOf(raw: JsonObject, metadata: JsonObject, identity: Pick<Resource, 'kind' | 'namespace' | 'name'>) {
  const { labels, uid, resourceVersion, generation, creationTimestamp } = metadata;
  const { spec, status } = raw;
  const { kind, namespace, name } = identity;
  return {
    ...identity,
    labels: isJsonObject(labels) ? textsOf(labels) : {},
    uid: typeof uid === 'string' ? uid : `${kind}/${namespace}/${name}`,
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '0',
    generation: typeof generation === 'number' ? generation : 1,
    created: typeof creationTimestamp === 'string' ? creationTimestamp : '',
    spec: isJsonObject(spec) ? spec : {},
    lastGood: isJsonObject(status) ? lastGoodOf(status['lastGood']) : null,
    ...(isJsonObject(status) ? { status } : {}),
  } satisfies Resource;
}

function textsOf(object: JsonObject): Record<string, string> {
  const texts = Object.entries(object).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

function lastGoodOf(value: JsonValue | undefined): LastGoodMark | null {
  if (!isJsonObject(value)) return null;
  const { generation, hash } = value;
  return typeof generation === 'number' && typeof hash === 'string' ? { generation, hash } : null;
}

function isName(value: JsonValue | undefined, pattern: RegExp, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest && pattern.test(value);
}
