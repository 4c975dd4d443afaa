import { z } from 'zod';
import type { Path } from '../../../contract/problem.ts';
import { choice, flag, integer, text } from '../../../contract/vocabulary/configured.ts';
import type { Remark } from '../../heap/definition.ts';
import { operatorPath } from '../../heap/operator-path.ts';
import type { WhenFull } from '../writer/audit-orders.ts';

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;
const TEBIBYTE = 1024 ** 4;

/** Values of the fields that every handler has. */
export interface HandlerFields {
  readonly name: string;
  readonly topics: readonly string[];
  readonly enabled: boolean;
  readonly queue: { readonly maxEvents: number; readonly maxBytes: number };
  readonly spool?: { readonly directory: string; readonly maxSize: number } | undefined;
  readonly whenFull: WhenFull;
}

/** Warning for a mapping of a topic that the handler does not get. @param name field of the mapping that has the topic */
export function idleMapping(at: Path, name: string, topic: string, handled: readonly string[]): Remark[] {
  if (handled.includes(topic)) return [];
  const message = `has no effect: '${topic}' is not in the 'topics' of the handler`;
  return [{ at: [...at, name], code: 'no-effect', message }];
}

const queueFields = () =>
  z.strictObject({
    maxEvents: integer({ min: 1, max: 1_000_000 })
      .default(10_000)
      .describe('Maximum number of events in memory that wait for their delivery.'),
    maxBytes: integer({ min: 64 * 1024, max: GIBIBYTE })
      .default(16 * MEBIBYTE)
      .describe('Maximum size of these events together, in bytes.'),
  });

const spoolFields = () =>
  z.strictObject({
    directory: operatorPath().describe(
      'Directory of the spool, made if it is missing. Each handler needs one of its own; one data plane uses it at a time.',
    ),
    maxSize: integer({ min: MEBIBYTE, max: TEBIBYTE })
      .default(GIBIBYTE)
      .describe('Maximum size of the spool on disk, in bytes.'),
  });

/** Fields that every handler has, for the schema of its own. */
export const handlerFields = () => ({
  name: text().describe('Name of the handler, unique in its audit service. Metrics and log lines have it.'),
  topics: z
    .array(text())
    .readonly()
    .describe('Audit topics that it handles: `access`, and custom topics of the audit service.'),
  enabled: flag().default(true).describe('Whether it gets events.'),
  queue: queueFields()
    .default({ maxEvents: 10_000, maxBytes: 16 * MEBIBYTE })
    .describe('Limits of the queue in memory.'),
  spool: spoolFields()
    .optional()
    .describe(
      'Keeps events on disk when the queue is full, in order, until the destination takes them. They survive a restart. ' +
        'For operators only.',
    ),
  whenFull: choice(['DROP', 'REFUSE_TRAFFIC'])
    .default('DROP')
    .describe(
      'What happens when queue and spool are full. `DROP` drops new events and counts them. `REFUSE_TRAFFIC` answers ' +
        'requests that would be audited with 503 until there is room.',
    ),
});
