import { z } from 'zod';
import { flag, text, url } from '../../../contract/vocabulary/configured.ts';
import { printable } from '../../../contract/vocabulary/printable.ts';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeFlag } from '../../../contract/vocabulary/runtime.ts';
import type { Remark } from '../../heap/definition.ts';

/** Fields of filters that sign users on at an access manager. */
export const signOnFields = {
  amService: ref('amService').describe('Access manager of the users.'),
  authenticationService: printable()
    .optional()
    .describe('Authentication tree or chain that users sign in with; by default that of the realm.'),
  redirectionMarker: z
    .strictObject({
      enabled: flag().default(true).describe('Adds the parameter to the URL that the login page leads back to.'),
      name: text()
        .refine((name) => /^[\w.-]{1,64}$/.test(name), 'must be letters, digits, `_`, `.` and `-`, at most 64')
        .default('_ig')
        .describe('Name of the parameter.'),
    })
    .prefault({})
    .describe(
      'Parameter that detects redirects without end. A page request that has it and no session gets 500 instead of one ' +
        'more redirect: browsers do not send the cookie to this host. After a sign-in the parameter is taken away again.',
    ),
  defaultLogoutLandingPage: url()
    .refine(({ username, password }) => username === '' && password === '', 'must hold no credentials')
    .optional()
    .describe('URL after a logout; by default a short text is shown.'),
  logoutExpression: runtimeFlag()
    .optional()
    .describe(
      'Whether a request logs the user out at the access manager. It is never passed on. If the session may go on, it ' +
        'gets 500 instead of the landing page.',
    ),
};

/** Remarks on these fields. @param logsOut whether requests can log users out */
export function signOnRemarks(config: { readonly defaultLogoutLandingPage?: unknown }, logsOut: boolean): Remark[] {
  if (logsOut || config.defaultLogoutLandingPage === undefined) return [];
  const message = "has no effect without 'logoutExpression'";
  return [{ at: ['defaultLogoutLandingPage'], code: 'no-effect', message }];
}

/** An access manager for examples of reference pages. */
export const exampleService = {
  type: 'AmService',
  config: {
    url: 'https://am.example.com/openam',
    agent: { username: 'gateway', passwordSecretId: 'agent.password' },
    secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
  },
};
