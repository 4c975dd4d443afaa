import { z } from 'zod';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../contract/document/json-value.ts';
import { LatePart } from '../../../contract/document/late-part.ts';
import { type Path, pathText } from '../../../contract/problem.ts';
import type { Reach } from '../../../contract/reach.ts';
import { freeObject } from '../../../contract/resources/resource-rule.ts';
import { text } from '../../../contract/vocabulary/configured.ts';
import { parsePlain } from '../../../contract/vocabulary/parse-config.ts';
import { ANY_FIELDS, type EventFields, membersOf } from '../events/event-fields.ts';
import { addPolicies, type FilterPolicies, policyRemarks } from '../events/filter-policies.ts';
import { PolicyTree } from '../events/policy-tree.ts';
import type { Fault } from '../events/schema-limits.ts';
import type { TopicSchema } from '../events/topic-schema.ts';
import { policyFields } from './policy-fields.ts';

/** Topics that exist without a schema. Of these the gateway emits `access` only. */
export const CORE_TOPICS: readonly string[] = ['access', 'activity', 'authentication', 'config'];

/** Fields that every event has. */
export const COMMON_FIELDS: readonly string[] = [
  ...['_id', 'timestamp', 'transactionId', 'eventName', 'userId', 'trackingIds'],
];

/** Most custom topics of one service. */
const MOST_TOPICS = 100;
/** Longest schemas of one service together, as compact JSON. */
const LONGEST_SCHEMAS = 512 << 10;
const TOPIC_NAME = /^[A-Za-z][\w.-]{0,99}$/;

/** Compiler of schemas: its library costs every thread that loads it, and few services have topics of their own. */
export const topicSchemas = new LatePart('custom audit topics', async () => {
  const { topicSchema } = await import('../events/topic-schema.ts');
  return topicSchema;
});

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
  /** Fields that events can have. */
  readonly eventFields: EventFields;
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
  let length = 0;
  const add = (name: string, fields: TopicFields, path: Path, describe: (fault: Fault) => Fault): void => {
    const fault = nameFault(name, topics);
    if (fault !== null) {
      faults.push(describe({ path, message: fault }));
      return;
    }
    length += JSON.stringify(fields.schema).length;
    if (length > LONGEST_SCHEMAS) {
      const message = `is too much: the schemas of a service have at most ${LONGEST_SCHEMAS} characters as JSON`;
      faults.push(describe({ path: [...path, 'schema'], message }));
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
  const compiled = topicSchemas.now(schema as JsonObject);
  if (!('faults' in compiled)) return compiled.map(({ path, message }) => ({ path: ['schema', ...path], message }));
  const fields = new Set(Object.keys(properties));
  const common = COMMON_FIELDS.map((field) => [field, ANY_FIELDS] as const);
  const eventFields = { below: new Map([...common, ...membersOf(properties)]) };
  const absolute = inTopic(name, filterPolicies);
  const wrong = policyRemarks(absolute, new Map([[name, eventFields]]), ['filterPolicies']);
  if (wrong.length > 0) return wrong.map(({ at, message }) => ({ path: at, message }));
  return { name, schema: compiled, required, fields, eventFields, policies: policiesOf(name, [...fields], absolute) };
}

function policiesOf(name: string, fields: readonly string[], policies: FilterPolicies): PolicyTree {
  const tree = new PolicyTree(false);
  const listed = [...(policies.field?.includeIf ?? []), ...(policies.value?.includeIf ?? [])];
  for (const field of listed.length === 0 ? [...COMMON_FIELDS, ...fields] : COMMON_FIELDS)
    tree.at([field]).included = true;
  addPolicies(policies, new Map([[name, tree]]));
  return tree;
}

/** Policies of a topic, with the topic before their pointers. */
function inTopic(name: string, { field, value }: FilterPolicies): FilterPolicies {
  const absolute = (pointers: readonly string[] = []): string[] =>
    pointers.map((pointer) => `/${encodeURIComponent(name)}/${pointer.replace(/^\//, '')}`);
  return {
    field: { includeIf: absolute(field?.includeIf), excludeIf: absolute(field?.excludeIf) },
    value: { includeIf: absolute(value?.includeIf), excludeIf: absolute(value?.excludeIf) },
  };
}
