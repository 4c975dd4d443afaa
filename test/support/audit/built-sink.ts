import { pino } from 'pino';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { parseConfig } from '../../../contract/vocabulary/parse-config.ts';
import type { AuditHandlerDefinition } from '../../../dataplane/audit/handlers/audit-handler.ts';
import { handlerClasses } from '../../../dataplane/audit/handlers/handler-classes.ts';
import type { HandlerFields } from '../../../dataplane/audit/handlers/handler-fields.ts';
import type { AuditSink, SinkContext, SinkOptions } from '../../../dataplane/audit/writer/audit-sink.ts';
import { LoadedSinks } from '../../../dataplane/audit/writer/sinks.ts';
import type { Remark } from '../../../dataplane/heap/definition.ts';
import type { Built } from '../../../dataplane/heap/kinds.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { objectParts } from '../gateways/object-parts.ts';
import { operatorReach } from '../gateways/operator-reach.ts';

export interface OpenedSink {
  readonly sink: AuditSink;
  /** Options as the writer gets them. */
  readonly options: SinkOptions;
  /** Lines that it logged. */
  readonly logged: string[];
}

export interface SinkWish {
  readonly className: string;
  /** Without the fields of every handler. */
  readonly config: JsonObject;
  /** What references stand for. */
  readonly objects?: Partial<Built>;
  readonly context?: Partial<SinkContext>;
  /** Fields of custom topics, by topic. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** Options in place of those that the definition gives. */
  readonly options?: SinkOptions;
}

/** The sink of a handler, from its configuration as documents have it. */
export async function builtSink({
  className,
  config,
  objects = {},
  context = {},
  fields = {},
  options: more,
}: SinkWish): Promise<OpenedSink> {
  const definition = definitionOf(className);
  const { value, problems } = parsed(definition, config);
  if (value === undefined) throw new Error(JSON.stringify(problems));
  const { parts } = objectParts(objects);
  const options = structuredClone({
    ...(await definition.options(value, parts, (topic) => fields[topic] ?? [])),
    ...more,
  });
  const logged: string[] = [];
  const sinks = new LoadedSinks();
  await sinks.load([className]);
  const sink = sinks.get(className)!(options, {
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    name: 'it',
    service: 'audit',
    realm: '',
    mayReach: () => true,
    writeStdout: async () => undefined,
    now: () => Date.now(),
    ...context,
  });
  return { sink, options, logged };
}

/** What is said about a configuration. */
export function handlerProblems(
  className: string,
  config: JsonObject,
): { problems: readonly Problem[]; remarks: readonly Remark[] } {
  const definition = definitionOf(className);
  const { value, problems } = parsed(definition, config);
  return { problems, remarks: value === undefined ? [] : (definition.remarks?.(value) ?? []) };
}

function definitionOf(className: string): AuditHandlerDefinition {
  const definition = handlerClasses.get(className);
  if (definition === undefined) throw new Error(`there is no ${className}`);
  return definition;
}

function parsed(definition: AuditHandlerDefinition, config: JsonObject): ReturnType<typeof parseConfig<HandlerFields>> {
  const reading = documentReading(operatorReach(), [], () => {});
  return parseConfig(definition.config, { name: 'it', topics: ['access'], ...config }, reading, []);
}
