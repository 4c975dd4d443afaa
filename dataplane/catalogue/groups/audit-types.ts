import { auditService } from '../../audit/service/audit-service.ts';
import { auditFilter } from '../../filters/audit.ts';
import type { TypeDefinition } from '../../heap/definition.ts';

/** Types that record requests. */
export const auditTypes: readonly TypeDefinition[] = [auditFilter, auditService];
