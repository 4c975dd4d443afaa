import { LatePart } from '../../contract/document/late-part.ts';
import type { TypeDefinition } from '../heap/definition.ts';
import { type LateTypes, TypeCatalogue } from '../heap/type-catalogue.ts';
import { basicTypes } from './groups/basic-types.ts';
import { namesByGroup } from './type-names.ts';
import { availableInstead, relics, unavailableTypes } from './unavailable-types.ts';

type Load = () => Promise<readonly TypeDefinition[]>;

/** Every group but the basic one. A type that another one declares without naming it has to be in the same group, or basic. */
const load: Readonly<Record<Exclude<keyof typeof namesByGroup, 'basic'>, Load>> = {
  accessManager: async () => (await import('./groups/access-manager-types.ts')).accessManagerTypes,
  audit: async () => (await import('./groups/audit-types.ts')).auditTypes,
  backend: async () => (await import('./groups/backend-types.ts')).backendTypes,
  common: async () => (await import('./groups/common-types.ts')).commonTypes,
  oauth2Client: async () => (await import('./groups/oauth2-client-types.ts')).oauth2ClientTypes,
  script: async () => (await import('./groups/script-types.ts')).scriptTypes,
  secret: async () => (await import('./groups/secret-types.ts')).secretTypes,
  session: async () => (await import('./groups/session-types.ts')).sessionTypes,
  throttling: async () => (await import('./groups/throttling-types.ts')).throttlingTypes,
  token: async () => (await import('./groups/token-types.ts')).tokenTypes,
};

const late = Object.entries(load).map(
  ([group, types]): LateTypes => ({
    names: namesByGroup[group as keyof typeof load],
    part: new LatePart(`the types of the group '${group}'`, types),
  }),
);

/**
 * Every type, as gateway units know them: most are loaded with the first document that names one of their group. Schemas
 * take more memory than what units build with them.
 */
export const unitCatalogue = new TypeCatalogue(basicTypes, unavailableTypes, availableInstead, relics, late);
