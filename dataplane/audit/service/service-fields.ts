import { z } from 'zod';
import type { Path } from '../../../contract/problem.ts';
import { text } from '../../../contract/vocabulary/configured.ts';
import { theReading } from '../../../contract/vocabulary/reading.ts';
import { type AddBreach, rulesAbout } from '../../../contract/vocabulary/rules-about.ts';
import type { Remark } from '../../heap/definition.ts';
import { operatorPath } from '../../heap/operator-path.ts';
import { ANY_FIELDS, accessEventFields, type EventFields } from '../events/event-fields.ts';
import { idlePointerRemarks, pointerRemarks, policyRemarks } from '../events/filter-policies.ts';
import { CORE_TOPICS, loadTopics, topicFields } from './custom-topics.ts';
import { eventHandler, type ReadHandler, type SeenHandler, seenHandler } from './event-handlers.ts';
import { policyFields } from './policy-fields.ts';

const settings = () =>
  z.strictObject({
    handlerForQueries: text()
      .optional()
      .describe('Name of the event handler that answers queries. Without it queries fail.'),
    availableAuditEventHandlers: z
      .array(z.string())
      .optional()
      .describe('Class names of event handlers. Documentation only.'),
    filterPolicies: policyFields()
      .default({})
      .describe(
        'Which parts of events are recorded. Pointers begin with the topic: ' +
          '`/access/http/request/headers/x-correlation-id`. Of access events only safe fields are recorded by default.',
      ),
    caseInsensitiveFields: z
      .array(z.string())
      .default([])
      .describe(
        'Pointers to objects whose names policies compare without regard to case. Those of headers always are.',
      ),
    topicsSchemasDirectory: operatorPath()
      .optional()
      .describe(
        'Directory of custom topics: a file `NAME.json` with the fields of an entry of `topics` for each. By default ' +
          '`audit-schemas` in the instance directory. For operators only.',
      ),
    topics: z
      .record(z.string(), topicFields())
      .default({})
      .describe('Custom topics by name, for documents that have no directory. An addition to OpenIG.'),
    eventName: text()
      .default('GW-HTTP-ACCESS')
      .describe('Value of `eventName` in access events. OpenIG writes `OPENIG-HTTP-ACCESS`.'),
  });

const DEFAULT_SETTINGS = { filterPolicies: {}, caseInsensitiveFields: [], topics: {}, eventName: 'GW-HTTP-ACCESS' };

/** Handlers in a service of a tenant: each event costs the one writer thread as often. */
const MOST_OF_TENANT = 8;

/** The fields of `AuditService`. */
export const serviceFields = () =>
  z
    .strictObject({
      config: settings().default(DEFAULT_SETTINGS).describe('Settings for all event handlers.'),
      eventHandlers: z
        .array(eventHandler())
        .max(32)
        .optional()
        .describe('Handlers that deliver the events. The reference has a page for each class.'),
      'event-handlers': z
        .array(eventHandler())
        .max(32)
        .optional()
        .meta({ instead: "'eventHandlers'" })
        .describe('Earlier spelling of `eventHandlers`.'),
    })
    .check(rulesAbout([], (fields, add, isSound) => judgeService(fields, add, isSound)));

export type ServiceFields = z.output<ReturnType<typeof serviceFields>>;

/** The handlers, whichever spelling their list has. */
export function handlersOf(fields: ServiceFields): readonly ReadHandler[] {
  return fields.eventHandlers ?? fields['event-handlers'] ?? [];
}

/** The name of the list that handlers are in. */
function listOf(fields: ServiceFields): 'eventHandlers' | 'event-handlers' {
  return fields.eventHandlers === undefined && fields['event-handlers'] !== undefined
    ? 'event-handlers'
    : 'eventHandlers';
}

/** Judges all that can be judged although other parts have problems. */
function judgeService(fields: ServiceFields, add: AddBreach, isSound: (path: Path) => boolean): void {
  if (fields.eventHandlers !== undefined && fields['event-handlers'] !== undefined) {
    add(['event-handlers'], "cannot be given together with 'eventHandlers': use that one");
  }
  const topics = isSound(['config']) ? judgeSettings(fields.config, add) : null;
  const list = listOf(fields);
  const handlers: unknown = fields[list];
  if (Array.isArray(handlers)) judgeHandlers(handlers.map(seenHandler), list, topics, add);
}

/** Returns the names of the topics; null where there may be others, in a directory that cannot be read here. */
function judgeSettings(config: ServiceFields['config'], add: AddBreach): readonly string[] | null {
  const { filterPolicies, caseInsensitiveFields, topicsSchemasDirectory } = config;
  const { topics, faults, isPartial } = loadTopics(config.topics, topicsSchemasDirectory, theReading().reach);
  for (const { path, message } of faults) add(['config', ...path], message);
  if (isPartial) return null;
  const others = [...CORE_TOPICS, ...Object.keys(config.topics)].map((name) => [name, ANY_FIELDS] as const);
  const known = new Map<string, EventFields>([...others, ['access', accessEventFields]]);
  for (const { name, eventFields } of topics.values()) known.set(name, eventFields);
  for (const { at, message, code } of [
    ...policyRemarks(filterPolicies, known, ['config', 'filterPolicies'], caseInsensitiveFields),
    ...pointerRemarks(caseInsensitiveFields, known, ['config', 'caseInsensitiveFields']),
  ]) {
    add(at, message, code);
  }
  return [...known.keys()];
}

function judgeHandlers(
  handlers: readonly SeenHandler[],
  list: string,
  known: readonly string[] | null,
  add: AddBreach,
): void {
  const count = handlers.length;
  if (count > MOST_OF_TENANT && theReading().reach.origin === 'tenant') {
    const message = `has ${count} handlers: a tenant may have ${MOST_OF_TENANT} in a service, since one thread writes for all`;
    add([list], message, 'not-allowed');
  }
  const names = new Map<string, number>();
  for (const [at, { name, topics }] of handlers.entries()) {
    const place = [list, at, 'config'];
    const other = name === null ? undefined : names.get(name);
    if (other !== undefined) {
      const message = `is the name of another handler, number ${other + 1} in the list`;
      add([...place, 'name'], message, 'duplicate-name');
    }
    if (name !== null) names.set(name, at);
    for (const [index, topic] of topics.entries()) {
      if (known === null || topic === null || known.includes(topic)) continue;
      const message = `there is no topic '${topic}': there are ${known.join(', ')}; 'config.topics' defines others`;
      add([...place, 'topics', index], message);
    }
  }
}

/** Topics that exist without a schema, with the fields of their events: only those of `access` are emitted. */
const EMITTED = new Map(
  CORE_TOPICS.map((name) => [name, name === 'access' ? accessEventFields : { below: new Map() }]),
);

/** What the writer of valid fields should know. */
export function serviceRemarks(fields: ServiceFields): readonly Remark[] {
  const list = listOf(fields);
  const handlers = handlersOf(fields);
  const remarks: Remark[] = [];
  for (const [at, { config, warnings }] of handlers.entries()) {
    const place = [list, at, 'config'];
    for (const { path, message, code } of warnings) remarks.push({ at: [list, at, ...path], message, code });
    if (config.topics.length === 0 && config.enabled) {
      remarks.push({ at: [...place, 'topics'], code: 'no-effect', message: 'is empty: the handler gets no events' });
    }
    for (const [index, topic] of config.topics.entries()) {
      if (topic === 'access' || !CORE_TOPICS.includes(topic)) continue;
      const message = `has no effect: the gateway emits no events of the topic '${topic}'`;
      remarks.push({ at: [...place, 'topics', index], code: 'no-effect', message });
    }
  }
  const { handlerForQueries, filterPolicies, caseInsensitiveFields } = fields.config;
  for (const remark of idlePointerRemarks(filterPolicies, caseInsensitiveFields, EMITTED)) {
    remarks.push({ ...remark, at: ['config', ...remark.at] });
  }
  const answering = handlers.find(({ config }) => config.name === handlerForQueries);
  if (handlerForQueries !== undefined && answering?.config.enabled !== true) {
    const message = 'names no enabled handler of this service: queries will fail';
    remarks.push({ at: ['config', 'handlerForQueries'], code: 'no-effect', message });
  }
  return remarks;
}
