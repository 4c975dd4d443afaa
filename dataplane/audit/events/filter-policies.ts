import type { Path } from '../../../contract/problem.ts';
import type { Remark } from '../../heap/definition.ts';
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
    const node = tree.at(steps);
    node.guarded = true;
    node.anyCase = anyCase;
  }
  for (const steps of SAFE_FIELDS) tree.at(steps).included = true;
  return tree;
}

/** Policies by topic. `access` is always among them. */
export type TopicPolicies = ReadonlyMap<string, PolicyTree>;

/** Has names below these fields compared without regard to case, before any policy names one of them. */
export function compareAnyCase(pointers: readonly string[], trees: TopicPolicies): void {
  for (const text of pointers) {
    const pointer = eventPointer(text);
    if (typeof pointer === 'string') continue;
    const tree = trees.get(pointer.topic);
    if (tree !== undefined) tree.at(pointer.steps).anyCase = true;
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

/** Reports pointers that cannot be read, and those of topics that the service does not have. */
export function pointerRemarks(pointers: readonly string[], topics: ReadonlySet<string>, at: Path): Remark[] {
  return pointers.flatMap((text, index): Remark[] => {
    const pointer = eventPointer(text);
    const place = [...at, index];
    if (typeof pointer === 'string') return [{ at: place, code: 'value', message: pointer }];
    if (topics.has(pointer.topic)) return [];
    const known = [...topics].map((topic) => `'${topic}'`).join(', ');
    const message = `begins with '${pointer.topic}', which is no topic of this service: its topics are ${known}`;
    return [{ at: place, code: 'value', message }];
  });
}

/** The same for all pointers of policies. */
export function policyRemarks(policies: FilterPolicies, topics: ReadonlySet<string>, at: Path): Remark[] {
  return (['field', 'value'] as const).flatMap((kind) =>
    (['includeIf', 'excludeIf'] as const).flatMap((list) =>
      pointerRemarks(policies[kind]?.[list] ?? [], topics, [...at, kind, list]),
    ),
  );
}
