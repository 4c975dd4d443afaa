import type { TypeDefinition } from '../heap/definition.ts';
import { TypeCatalogue } from '../heap/type-catalogue.ts';
import { accessManagerTypes } from './groups/access-manager-types.ts';
import { auditTypes } from './groups/audit-types.ts';
import { backendTypes } from './groups/backend-types.ts';
import { basicTypes } from './groups/basic-types.ts';
import { commonTypes } from './groups/common-types.ts';
import { oauth2ClientTypes } from './groups/oauth2-client-types.ts';
import { scriptTypes } from './groups/script-types.ts';
import { secretTypes } from './groups/secret-types.ts';
import { sessionTypes } from './groups/session-types.ts';
import { throttlingTypes } from './groups/throttling-types.ts';
import { tokenTypes } from './groups/token-types.ts';
import { availableInstead, relics, unavailableTypes } from './unavailable-types.ts';

/** Types by the groups in which gateway units load them. */
export const typeGroups = {
  accessManager: accessManagerTypes,
  audit: auditTypes,
  backend: backendTypes,
  basic: basicTypes,
  common: commonTypes,
  oauth2Client: oauth2ClientTypes,
  script: scriptTypes,
  secret: secretTypes,
  session: sessionTypes,
  throttling: throttlingTypes,
  token: tokenTypes,
} as const satisfies Readonly<Record<string, readonly TypeDefinition[]>>;

const definitions: readonly TypeDefinition[] = Object.values(typeGroups).flat();

/** Every type of object that a document can declare, in the order of the alphabet. */
export const catalogue = new TypeCatalogue(
  definitions.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  unavailableTypes,
  availableInstead,
  relics,
);
