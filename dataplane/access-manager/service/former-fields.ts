import { refused } from '../../../contract/vocabulary/field-notes.ts';

const FORMER = 'Field of OpenIG 4 and 5.';

/** Fields of filters of OpenIG 4 and 5 that are fields of an AmService since. */
export const formerServiceFields = {
  openamUrl: refused("declare an AmService with this 'url', and name it in 'amService'").describe(FORMER),
  amHandler: refused("use 'amHandler' of the AmService").describe(FORMER),
};

/** The same for a SingleSignOnFilter. */
export const formerSignOnFields = {
  ...formerServiceFields,
  cookieName: refused("leave it out, or use 'ssoTokenHeader' of the AmService").describe(FORMER),
};

/** The same for a PolicyEnforcementFilter. */
export const formerPolicyFields = {
  ...formerServiceFields,
  pepUsername: refused("use 'agent.username' of the AmService").describe(FORMER),
  pepPassword: refused(
    "passwords are not allowed in documents: use 'agent.passwordSecretId' of the AmService",
  ).describe(FORMER),
  realm: refused("use 'pepRealm' for the realm of the policies").describe(FORMER),
  ssoTokenHeader: refused("leave it out, or use 'ssoTokenHeader' of the AmService").describe(FORMER),
  cacheMaxExpiration: refused("use 'cache' with 'enabled' and 'maximumTimeToCache'").describe(FORMER),
  executor: refused("use 'cache.executor'").describe(FORMER),
};
