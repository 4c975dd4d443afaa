import { policyEnforcementFilter } from '../../access-manager/policies/policy-enforcement.ts';
import { requestResourceUriProvider } from '../../access-manager/policies/request-resource-uri-provider.ts';
import { userProfileFilter } from '../../access-manager/profiles/user-profile.ts';
import { userProfileService } from '../../access-manager/profiles/user-profile-service.ts';
import { amService } from '../../access-manager/service/am-service.ts';
import { amSessionIdleTimeoutFilter } from '../../access-manager/sign-on/am-session-idle-timeout.ts';
import { crossDomainSingleSignOnFilter } from '../../access-manager/sign-on/cross-domain-single-sign-on.ts';
import { sessionInfoFilter } from '../../access-manager/sign-on/session-info.ts';
import { singleSignOnFilter } from '../../access-manager/sign-on/single-sign-on.ts';
import type { TypeDefinition } from '../../heap/definition.ts';

/** Types that work with an access manager. */
export const accessManagerTypes: readonly TypeDefinition[] = [
  amService,
  amSessionIdleTimeoutFilter,
  crossDomainSingleSignOnFilter,
  policyEnforcementFilter,
  requestResourceUriProvider,
  sessionInfoFilter,
  singleSignOnFilter,
  userProfileFilter,
  userProfileService,
];
