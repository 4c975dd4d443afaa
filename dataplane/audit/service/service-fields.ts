import { z } from 'zod';
import { text } from '../../../contract/vocabulary/configured.ts';
import { theReading } from '../../../contract/vocabulary/reading.ts';
import type { Remark } from '../../heap/definition.ts';
import { operatorPath } from '../../heap/operator-path.ts';
import { pointerRemarks, policyRemarks } from '../events/filter-policies.ts';
import { CORE_TOPICS, loadTopics, topicFields } from './custom-topics.ts';
import { eventHandler, type ReadHandler } from './event-handlers.ts';
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

/** The fields of `AuditService`. */
export const serviceFields = () =>
  z
    .strictObject({
      config: settings().default(DEFAULT_SETTINGS).describe('Settings for all event handlers.'),
      eventHandlers: z
        .array(eventHandler())
        .max(32)
        .optional()
        .describe('Handlers that deliver the events. The page on audit lists their classes and fields.'),
      'event-handlers': z
        .array(eventHandler())
        .max(32)
        .optional()
        .meta({ instead: "'eventHandlers'" })
        .describe('Earlier spelling of `eventHandlers`.'),
    })
    .check(({ value, issues }) => {
      for (const { at, code = 'value', message } of serviceFaults(value)) {
        issues.push({ code: 'custom', message, path: [...at], input: value, params: { code } });
      }
    });

export type ServiceFields = z.output<ReturnType<typeof serviceFields>>;

/** The handlers, whichever spelling their list has. */
export function handlersOf(fields: ServiceFields): readonly ReadHandler[] {
  return fields.eventHandlers ?? fields['event-handlers'] ?? [];
}

/** The name of the list that handlers are in. */
function listOf(fields: ServiceFields): string {
  return fields.eventHandlers === undefined && fields['event-handlers'] !== undefined
    ? 'event-handlers'
    : 'eventHandlers';
}

/** What makes the fields of a service unusable. */
function serviceFaults(fields: ServiceFields): Remark[] {
  const { config } = fields;
  const faults: Remark[] = [];
  if (fields.eventHandlers !== undefined && fields['event-handlers'] !== undefined) {
    faults.push({ at: ['event-handlers'], message: "cannot be given together with 'eventHandlers': use that one" });
  }
  const {
    topics,
    faults: wrong,
    isPartial,
  } = loadTopics(config.topics, config.topicsSchemasDirectory, theReading().reach);
  faults.push(...wrong.map(({ path, message }): Remark => ({ at: ['config', ...path], message })));
  const known = new Set([...CORE_TOPICS, ...topics.keys(), ...Object.keys(config.topics)]);
  if (!isPartial) {
    faults.push(...policyRemarks(config.filterPolicies, known, ['config', 'filterPolicies']));
    faults.push(...pointerRemarks(config.caseInsensitiveFields, known, ['config', 'caseInsensitiveFields']));
  }
  const names = new Map<string, number>();
  for (const [at, handler] of handlersOf(fields).entries()) {
    const { name, topics: handled } = handler.config;
    const place = [listOf(fields), at, 'config'];
    if (names.has(name)) {
      const message = `is the name of another handler, number ${names.get(name)! + 1} in the list`;
      faults.push({ at: [...place, 'name'], code: 'duplicate-name', message });
    }
    names.set(name, at);
    for (const [index, topic] of isPartial ? [] : [...handled.entries()]) {
      if (known.has(topic)) continue;
      const message = `there is no topic '${topic}': there are ${[...known].join(', ')}; 'config.topics' defines others`;
      faults.push({ at: [...place, 'topics', index], message });
    }
  }
  return faults;
}

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
  const { handlerForQueries } = fields.config;
  const answering = handlers.find(({ config }) => config.name === handlerForQueries);
  if (handlerForQueries !== undefined && answering?.config.enabled !== true) {
    const message = 'names no enabled handler of this service: queries will fail';
    remarks.push({ at: ['config', 'handlerForQueries'], code: 'no-effect', message });
  }
  return remarks;
}
