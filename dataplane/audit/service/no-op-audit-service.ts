import { z } from 'zod';
import type { Problem } from '../../../contract/problem.ts';
import { defineService } from '../../heap/definition.ts';

const NOTHING: readonly Problem[] = [];

/** Records nothing. */
export const noOpAuditService = defineService({
  type: 'NoOpAuditService',
  kind: 'auditService',
  summary:
    'Records nothing. It is the default object `AuditService`, and switches audit off for one route whose parent has it.',
  config: z.strictObject({}),
  examples: [{ title: 'Nothing is recorded', config: {} }],
  create: () => ({ access: null, refusesTraffic: false, publish: () => NOTHING }),
});
