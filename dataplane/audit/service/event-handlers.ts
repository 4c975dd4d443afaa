import { z } from 'zod';
import { didYouMean } from '../../../contract/did-you-mean.ts';
import type { Problem } from '../../../contract/problem.ts';
import { freeObject } from '../../../contract/resources/resource-rule.ts';
import { text } from '../../../contract/vocabulary/configured.ts';
import { parsePlain } from '../../../contract/vocabulary/parse-config.ts';
import { theReading } from '../../../contract/vocabulary/reading.ts';
import { handlerClass, handlerClasses, shortClassName } from '../handlers/handler-classes.ts';
import type { HandlerFields } from '../handlers/handler-fields.ts';

/** Classes that will not exist here, with the reason. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['KafkaAuditEventHandler', 'no maintained Kafka client lets the gateway check the addresses that it connects to'],
]);

/** A handler of a service, read by the schema of its class. */
export interface ReadHandler {
  /** Short name of its class. */
  readonly class: string;
  readonly config: HandlerFields;
  /** What its writer should know. Paths begin at the handler. */
  readonly warnings: readonly Problem[];
}

/** Parts of a handler that rules about all handlers of a service need; null where a text cannot be told. */
export interface SeenHandler {
  readonly name: string | null;
  readonly topics: readonly (string | null)[];
}

const written = z.strictObject({
  class: text().describe(
    'Class of the handler, with or without a package: `JmsAuditEventHandler`, ' +
      '`org.vendor.audit.handlers.jms.JmsAuditEventHandler`.',
  ),
  config: freeObject('object')
    .default({})
    .describe('Configuration of the handler, with its `name` and `topics`. The class decides which fields there are.'),
});

/** One item of `eventHandlers`. */
export const eventHandler = () =>
  written.transform((value, context): ReadHandler => {
    const fail = (problem: Pick<Problem, 'code' | 'path' | 'message' | 'hint'>): void => {
      const { code, path, message, hint } = problem;
      context.issues.push({ code: 'custom', message, path: [...path], input: value, params: { code, hint } });
    };
    const definition = handlerClass(value.class);
    if (definition === undefined) {
      const known = [...handlerClasses.keys()];
      const short = shortClassName(value.class);
      const reason = REFUSED.get(short);
      if (reason !== undefined) {
        const hint = 'write files, or send events to syslog or JMS, and let a connector of Kafka read them';
        fail({ code: 'unavailable-type', path: ['class'], message: `${short} is not supported: ${reason}`, hint });
        return unread(value);
      }
      const meant = didYouMean(short, known);
      const hint = meant === undefined ? `known classes: ${known.join(', ')}` : `did you mean '${meant}'?`;
      fail({ code: 'value', path: ['class'], message: `there is no event handler '${value.class}'`, hint });
      return unread(value);
    }
    if (definition.operatorOnly !== undefined && theReading().reach.origin === 'tenant') {
      const message = `${definition.className} is for operators only: ${definition.operatorOnly}`;
      fail({ code: 'not-allowed', path: ['class'], message });
      return unread(value);
    }
    const parsed = parsePlain<HandlerFields>(definition.config, value.config, ['config']);
    for (const problem of parsed.problems) if (problem.severity === 'error') fail(problem);
    if (parsed.value === undefined) return unread(value);
    const remarks = definition.remarks?.(parsed.value) ?? [];
    const warnings = [
      ...parsed.problems.filter(({ severity }) => severity === 'warning'),
      ...remarks.map(({ at, code = 'value', message }): Problem => {
        return { code, severity: 'warning', path: ['config', ...at], message };
      }),
    ];
    return { class: definition.className, config: parsed.value, warnings };
  });

/** A handler with problems, as it is written: it is looked at and never used. */
function unread(value: z.output<typeof written>): ReadHandler {
  return value as unknown as ReadHandler;
}

/** Returns what can be seen of a handler, which may have problems. */
export function seenHandler(handler: unknown): SeenHandler {
  const config = isRecord(handler) && isRecord(handler['config']) ? handler['config'] : {};
  const { name, topics } = config;
  return { name: plainText(name), topics: Array.isArray(topics) ? topics.map(plainText) : [] };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Expressions have no value where they have a problem. */
function plainText(value: unknown): string | null {
  return typeof value === 'string' && !/[$#]\{/.test(value) ? value : null;
}
