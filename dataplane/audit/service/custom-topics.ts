import { z } from 'zod';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../contract/document/json-value.ts';
import { type Path, pathText } from '../../../contract/problem.ts';
import type { Reach } from '../../../contract/reach.ts';
import { freeObject } from '../../../contract/resources/resource-rule.ts';
import { text } from '../../../contract/vocabulary/configured.ts';
import { parsePlain } from '../../../contract/vocabulary/parse-config.ts';
import { addPolicies, type FilterPolicies } from '../events/filter-policies.ts';
import { PolicyTree } from '../events/policy-tree.ts';
import type { Fault } from '../events/schema-limits.ts';
import { type TopicSchema, topicSchema } from '../events/topic-schema.ts';
import { policyFields } from './policy-fields.ts';

/** Topics that exist without a schema. Of these the gateway emits `access` only. */
export const CORE_TOPICS: readonly string[] = ['access', 'activity', 'authentication', 'config'];

/** Fields that every event has. */
export const COMMON_FIELDS: readonly string[] = [
  ...['_id', 'timestamp', 'transactionId', 'eventName', 'userId', 'trackingIds'],
];

/** Most custom topics of one service. */
const MOST_TOPICS = 100;
const TOPIC_NAME = /^[A-Za-z][\w.-]{0,99}$/;

/** The fields of a custom topic, in a document or in a file. */
export const topicFields = () =>
  z.strictObject({
    schema: freeObject('JSON Schema').describe(
      'JSON Schema of the events: draft-04, draft-06, draft-07, 2019-09 or 2020-12; draft-07 where `$schema` is ' +
        'missing. It must have `properties`. `format` is not checked. Patterns must match in linear time.',
    ),
    filterPolicies: policyFields()
      .optional()
      .describe(
        'Which fields are recorded. Pointers begin at the event, without the topic. By default every field in ' +
          '`properties` of the schema is; with `includeIf` only those, and the fields that every event has.',
      ),
    required: z.array(text()).max(1000).optional().describe('Fields that every event must have.'),
  });

export type TopicFields = z.output<ReturnType<typeof topicFields>>;

/** A custom topic that events can be published in. */
export interface CustomTopic {
  readonly name: string;
  readonly schema: TopicSchema;
  readonly required: readonly string[];
  /** Fields that the schema names. */
  readonly fields: ReadonlySet<string>;
  readonly policies: PolicyTree;
}

/** The custom topics of a service, and what is wrong with them. */
export interface LoadedTopics {
  readonly topics: ReadonlyMap<string, CustomTopic>;
  /** Paths begin at the settings of the service. */
  readonly faults: readonly Fault[];
  /** Whether there may be topics in a directory that cannot be read here. */
  readonly isPartial: boolean;
}

/** Reads and compiles the custom topics of a service: those of its document, and those of a directory. */
export function loadTopics(
  inline: Readonly<Record<string, TopicFields>>,
  directory: string | undefined,
  reach: Reach,
): LoadedTopics {
  const topics = new Map<string, CustomTopic>();
  const faults: Fault[] = [];
  const add = (name: string, fields: TopicFields, path: Path, describe: (fault: Fault) => Fault): void => {
    const fault = nameFault(name, topics);
    if (fault !== null) {
      faults.push(describe({ path, message: fault }));
      return;
    }
    const topic = customTopic(name, fields);
    if (Array.isArray(topic))
      faults.push(...topic.map((one: Fault) => describe({ ...one, path: [...path, ...one.path] })));
    else topics.set(name, topic as CustomTopic);
  };
  for (const [name, fields] of Object.entries(inline)) add(name, fields, ['topics', name], (fault) => fault);
  const found = filesIn(directory, reach);
  for (const { file, place, content } of found ?? []) {
    const describe = ({ path, message }: Fault): Fault => ({
      path: ['topicsSchemasDirectory'],
      message: `${place}${path.length === 0 ? '' : `: ${pathText(path)}`}: ${message}`,
    });
    const object = content === null ? null : jsonObjectIn(new TextDecoder().decode(content));
    if (object === null) {
      faults.push(describe({ path: [], message: 'must be a JSON object' }));
      continue;
    }
    const parsed = parsePlain<TopicFields>(topicFields(), object, []);
    faults.push(...parsed.problems.filter(({ severity }) => severity === 'error').map(describe));
    if (parsed.value !== undefined) add(file.slice(0, -'.json'.length), parsed.value, [], describe);
  }
  return { topics, faults, isPartial: directory !== undefined && found === null };
}

/** Content of the files of a directory of topics. */
export function topicFiles(directory: string | undefined, reach: Reach): string {
  const files = filesIn(directory, reach) ?? [];
  return files
    .map(({ file, content }) => `${file}\n${content === null ? '' : new TextDecoder().decode(content)}`)
    .join('\n');
}

interface TopicFile {
  readonly file: string;
  readonly place: string;
  readonly content: Uint8Array | null;
}

/** The files of a directory of topics; null where it cannot be read. */
function filesIn(directory: string | undefined, reach: Reach): readonly TopicFile[] | null {
  const folder = directory ?? defaultDirectory(reach);
  const names = folder === null ? null : reach.listDirectory(folder);
  if (names === null) return null;
  const files = [...names].sort().filter((file) => file.endsWith('.json'));
  return files.map((file) => ({ file, place: `${folder}/${file}`, content: reach.readFile(`${folder}/${file}`) }));
}

function defaultDirectory({ origin, directories }: Reach): string | null {
  return origin === 'operator' && directories !== null ? `${directories.instance}/audit-schemas` : null;
}

function nameFault(name: string, topics: ReadonlyMap<string, CustomTopic>): string | null {
  if (!TOPIC_NAME.test(name)) return 'is no name of a topic: use letters, digits, dots, hyphens and underscores';
  if (CORE_TOPICS.includes(name)) return `defines the topic '${name}', which exists already`;
  if (topics.has(name)) return `defines the topic '${name}' a second time`;
  return topics.size >= MOST_TOPICS ? `is one topic too many: a service has at most ${MOST_TOPICS}` : null;
}

function customTopic(name: string, { schema, filterPolicies = {}, required = [] }: TopicFields): CustomTopic | Fault[] {
  const { properties } = schema as JsonObject;
  if (!isJsonObject(properties))
    return [{ path: ['schema', 'properties'], message: 'is required: it names the fields' }];
  const compiled = topicSchema(schema as JsonObject);
  if (!('faults' in compiled)) return compiled.map(({ path, message }) => ({ path: ['schema', ...path], message }));
  const fields = new Set(Object.keys(properties));
  return { name, schema: compiled, required, fields, policies: policiesOf(name, [...fields], filterPolicies) };
}

function policiesOf(name: string, fields: readonly string[], policies: FilterPolicies): PolicyTree {
  const tree = new PolicyTree(false);
  const listed = [...(policies.field?.includeIf ?? []), ...(policies.value?.includeIf ?? [])];
  for (const field of listed.length === 0 ? [...COMMON_FIELDS, ...fields] : COMMON_FIELDS)
    tree.at([field]).included = true;
  const inTopic = (pointers: readonly string[] = []): string[] =>
    pointers.map((pointer) => `/${encodeURIComponent(name)}/${pointer.replace(/^\//, '')}`);
  const { field, value } = policies;
  const absolute = {
    field: { includeIf: inTopic(field?.includeIf), excludeIf: inTopic(field?.excludeIf) },
    value: { includeIf: inTopic(value?.includeIf), excludeIf: inTopic(value?.excludeIf) },
  };
  addPolicies(absolute, new Map([[name, tree]]));
  return tree;
}
