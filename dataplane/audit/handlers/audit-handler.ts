import type { z } from 'zod';
import type { Parts, Remark } from '../../heap/definition.ts';
import type { SinkOptions } from '../writer/audit-sink.ts';
import type { HandlerFields } from './handler-fields.ts';

/** How a class of audit event handlers is configured. Its sink is in `writer/sinks.ts` under the same name. */
export interface AuditHandlerDefinition<Config extends HandlerFields = HandlerFields> {
  /** Such as `JmsAuditEventHandler`. The class in documents is this, or any package before it. */
  readonly className: string;
  /** What it does, in a paragraph for the reference page. */
  readonly summary: string;
  /** Strict; spreads `handlerFields()`. */
  readonly config: z.ZodType<Config>;
  /** Configurations for the reference page. */
  readonly examples?: readonly { readonly title: string; readonly config: unknown }[];
  /** Why a tenant may not use it, or nothing. */
  readonly operatorOnly?: string;
  /** What the writer of a valid configuration should know. */
  remarks?(config: Config): readonly Remark[];
  /**
   * Plain data for the sink. Resolves secrets, and is called again when one of them changes.
   *
   * @param fieldsOf returns the fields of a custom topic, those of every event first; none for other topics
   */
  options(
    config: Config,
    parts: Parts,
    fieldsOf: (topic: string) => readonly string[],
  ): SinkOptions | Promise<SinkOptions>;
}

/** Facts about a class in addition to its summary. */
export function handlerFacts({ operatorOnly }: AuditHandlerDefinition): readonly string[] {
  const kind = 'Event handler of an AuditService.';
  return operatorOnly === undefined ? [kind] : [kind, `For operators only: ${operatorOnly}.`];
}

/** Lets a definition use its own type of configuration; the list of all classes needs only the common fields. */
export function auditHandler<Config extends HandlerFields>(
  definition: AuditHandlerDefinition<Config>,
): AuditHandlerDefinition {
  return definition as unknown as AuditHandlerDefinition;
}
