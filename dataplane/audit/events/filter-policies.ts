import { didYouMean } from '../../../contract/did-you-mean.ts';
import type { Path } from '../../../contract/problem.ts';
import type { Remark } from '../../heap/definition.ts';
import { ANY_FIELDS, accessEventFields, type EventFields, type UnknownName, unknownName } from './event-fields.ts';
import { eventPointer } from './event-pointer.ts';
import { PolicyTree } from './policy-tree.ts';

/** Pointers of one policy. */
export interface FilterPolicy {
  readonly includeIf?: readonly string[] | undefined;
  readonly excludeIf?: readonly string[] | undefined;
}

/** `filterPolicies` of a service or of a topic. */
export interface FilterPolicies {
  readonly field?: FilterPolicy | undefined;
  readonly value?: FilterPolicy | undefined;
}

/** Fields of access events that contain names of the client, and how to compare them. */
const NAME_MAPS = [
  { steps: ['http', 'request', 'headers'], anyCase: true },
  { steps: ['http', 'request', 'queryParameters'], anyCase: false },
  { steps: ['http', 'request', 'cookies'], anyCase: false },
  { steps: ['http', 'response', 'headers'], anyCase: true },
] as const;

/** Request headers that are recorded where no policy says otherwise. None of them carries a credential. */
export const SAFE_REQUEST_HEADERS: readonly string[] = [
  'accept',
  'accept-api-version',
  'accept-language',
  'content-length',
  'content-type',
  'host',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-real-ip',
  'x-request-id',
  'x-requested-with',
];

/** Response headers that are recorded where no policy says otherwise. */
export const SAFE_RESPONSE_HEADERS: readonly string[] = ['content-length', 'content-type'];

/** Fields of access events that are recorded where no policy says otherwise. */
const SAFE_FIELDS: readonly (readonly string[])[] = [
  ...['_id', 'timestamp', 'eventName', 'transactionId', 'userId', 'trackingIds', 'client', 'server', 'request'],
  ...['response', 'ig', 'decision', 'source', 'topic', 'level'],
]
  .map((name): readonly string[] => [name])
  .concat(
    ['secure', 'method', 'path'].map((name) => ['http', 'request', name]),
    SAFE_REQUEST_HEADERS.map((name) => ['http', 'request', 'headers', name]),
    SAFE_RESPONSE_HEADERS.map((name) => ['http', 'response', 'headers', name]),
  );

/** The policies of the topic `access` before those of a configuration. */
export function accessPolicies(): PolicyTree {
  const tree = new PolicyTree(false);
  for (const { steps, anyCase } of NAME_MAPS) {
    tree.at(steps).guarded = true;
    if (anyCase) tree.compareAnyCase(steps);
  }
  for (const steps of SAFE_FIELDS) tree.at(steps).included = true;
  return tree;
}

/** Policies by topic. `access` is always among them. */
export type TopicPolicies = ReadonlyMap<string, PolicyTree>;

/** Has names below these fields compared without regard to case. */
export function compareAnyCase(pointers: readonly string[], trees: TopicPolicies): void {
  for (const text of pointers) {
    const pointer = eventPointer(text);
    if (typeof pointer === 'string') continue;
    const tree = trees.get(pointer.topic);
    tree?.compareAnyCase(pointer.steps);
  }
}

/** Adds policies of a configuration to those of its topics. */
export function addPolicies(policies: FilterPolicies, trees: TopicPolicies): void {
  for (const [kind, policy] of Object.entries(policies) as ['field' | 'value', FilterPolicy | undefined][]) {
    for (const text of policy?.includeIf ?? []) {
      const node = nodeAt(text, trees);
      if (node !== undefined) node.included = true;
    }
    for (const text of policy?.excludeIf ?? []) {
      const node = nodeAt(text, trees);
      if (node === undefined) continue;
      if (kind === 'field') node.excluded = true;
      else node.blanked = true;
    }
  }
}

function nodeAt(text: string, trees: TopicPolicies): ReturnType<PolicyTree['at']> | undefined {
  const pointer = eventPointer(text);
  return typeof pointer === 'string' ? undefined : trees.get(pointer.topic)?.at(pointer.steps);
}

/** Fields of events by topic. */
export type TopicFieldsByName = ReadonlyMap<string, EventFields>;

/** Reports pointers that cannot be read, and those of topics that the service does not have. */
export function pointerRemarks(pointers: readonly string[], topics: TopicFieldsByName, at: Path): Remark[] {
  return pointers.flatMap((text, index): Remark[] => {
    const pointer = eventPointer(text);
    const place = [...at, index];
    if (typeof pointer === 'string') return [{ at: place, code: 'value', message: pointer }];
    if (topics.has(pointer.topic)) return [];
    const known = [...topics.keys()].map((topic) => `'${topic}'`).join(', ');
    const message = `begins with '${pointer.topic}', which is no topic of this service: its topics are ${known}`;
    return [{ at: place, code: 'value', message }];
  });
}

/**
 * The same for all pointers of policies, and pointers of `excludeIf` to fields that no event has: with a misspelt name
 * the field that was meant would be recorded.
 */
export function policyRemarks(
  policies: FilterPolicies,
  topics: TopicFieldsByName,
  at: Path,
  caseInsensitiveFields: readonly string[] = [],
): Remark[] {
  const fields = withIncluded(topics, policies);
  return (['field', 'value'] as const).flatMap((kind) => {
    const { includeIf = [], excludeIf = [] } = policies[kind] ?? {};
    const excluded = [...at, kind, 'excludeIf'];
    return [
      ...pointerRemarks(includeIf, topics, [...at, kind, 'includeIf']),
      ...pointerRemarks(excludeIf, topics, excluded),
      ...unknownFields(excludeIf, fields, caseInsensitiveFields).map(({ index, why }): Remark => {
        return { at: [...excluded, index], code: 'value', message: `protects nothing: ${why}` };
      }),
    ];
  });
}

/** Warnings for pointers that have no effect. */
export function idlePointerRemarks(
  policies: FilterPolicies,
  caseInsensitiveFields: readonly string[],
  topics: TopicFieldsByName,
): Remark[] {
  const lists: [Path, readonly string[] | undefined][] = [
    [['filterPolicies', 'field', 'includeIf'], policies.field?.includeIf],
    [['filterPolicies', 'field', 'excludeIf'], policies.field?.excludeIf],
    [['filterPolicies', 'value', 'includeIf'], policies.value?.includeIf],
    [['filterPolicies', 'value', 'excludeIf'], policies.value?.excludeIf],
    [['caseInsensitiveFields'], caseInsensitiveFields],
  ];
  return lists.flatMap(([at, pointers = []]) =>
    unknownFields(pointers, topics, caseInsensitiveFields).map(({ index, why }): Remark => {
      return { at: [...at, index], code: 'no-effect', message: `has no effect: ${why}` };
    }),
  );
}

function unknownFields(
  pointers: readonly string[],
  topics: TopicFieldsByName,
  caseInsensitiveFields: readonly string[],
): { readonly index: number; readonly why: string }[] {
  const places = new Set(caseInsensitiveFields.map((text) => text.replace(/^\//, '')));
  return pointers.flatMap((text, index) => {
    const pointer = eventPointer(text);
    const fields = typeof pointer === 'string' ? undefined : topics.get(pointer.topic);
    if (typeof pointer === 'string' || fields === undefined) return [];
    const { topic, steps } = pointer;
    if (fields.below?.size === 0) return [{ index, why: `the gateway emits no events of the topic '${topic}'` }];
    const unknown = unknownName(steps, fields, (before) => places.has([topic, ...before].join('/')));
    if (unknown === null) return [];
    return [{ index, why: noField(topic, unknown) }];
  });
}

function noField(topic: string, { name, known }: UnknownName): string {
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
  return `events of the topic '${topic}' have no field '${name}' there${hint}`;
}

/** Says that events of a topic cannot have a field; null where they can, or where their fields are not known. */
export function missingField(topic: string, steps: readonly string[]): string | null {
  const unknown = topic === 'access' ? unknownName(steps, accessEventFields) : null;
  return unknown === null ? null : noField(topic, unknown);
}

/** Fields of custom topics and those that policies include in addition, which a schema need not name. */
function withIncluded(topics: TopicFieldsByName, policies: FilterPolicies): TopicFieldsByName {
  const included = [...(policies.field?.includeIf ?? []), ...(policies.value?.includeIf ?? [])].map(eventPointer);
  return new Map(
    [...topics].map(([topic, fields]): [string, EventFields] => {
      const more = included.flatMap((one) => (typeof one !== 'string' && one.topic === topic ? one.steps[0]! : []));
      if (fields.below === null || topic === 'access') return [topic, fields];
      return [topic, { below: new Map([...more.map((name) => [name, ANY_FIELDS] as const), ...fields.below]) }];
    }),
  );
}
