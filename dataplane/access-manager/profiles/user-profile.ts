import { z } from 'zod';
import { ref } from '../../../contract/vocabulary/reference.ts';
import { runtimeText } from '../../../contract/vocabulary/runtime.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { emptyRefusal, type Response } from '../../engine/message/response.ts';
import { defineFilter } from '../../heap/definition.ts';
import { denials } from '../../heap/objects/denials.ts';
import { exampleService } from '../sign-on/sign-on-fields.ts';

const NO_NAME =
  "'username' gives no name: check its spelling, and place the filter that signs the user on before this one";

/** Adds the profile of a user. */
export const userProfileFilter = defineFilter({
  type: 'UserProfileFilter',
  provides: ['userProfile'],
  summary:
    'Gets the profile of a user from an access manager, for the filters behind it: in the context `userProfile` with ' +
    '`username`, `realm`, `asMap` (attributes by name) and `rawInfo`. A request without a user name, or of a user ' +
    'without a profile, gets 500, as when the access manager does not answer.',
  config: z.strictObject({
    username: runtimeText().describe('Name of the user, such as `${contexts.ssoToken.info.uid}`.'),
    userProfileService: ref('userProfileService').describe('Reads the profile.'),
  }),
  examples: [
    {
      title: 'After a SingleSignOnFilter',
      config: {
        username: '${contexts.ssoToken.info.uid}',
        userProfileService: { type: 'UserProfileService', config: { amService: exampleService } },
      },
    },
  ],
  create({ username, userProfileService }, parts) {
    const profiles = parts.resolve(userProfileService);
    const denied = denials(parts, ['user-profile']);
    const failed = new PacedWarning(parts.log, 'profile of a user could not be read; the request is refused', {
      most: 1,
    });

    function refuse(reason: string, exchange: Exchange): Response {
      if (exchange.over) return emptyRefusal('cancelled');
      failed.give({ reason, route: exchange.route });
      return denied.answer(exchange, 'user-profile', undefined, reason);
    }

    return function addProfile(exchange, next) {
      const name = username.read(exchange, null);
      if (name === null || name === '') return refuse(NO_NAME, exchange);
      const profile = profiles.profile(name, exchange);
      if (!(profile instanceof Promise)) {
        exchange.setContext('userProfile', profile);
        return next(exchange);
      }
      return profile.then(
        (found) => {
          if (exchange.over) return emptyRefusal('cancelled');
          exchange.setContext('userProfile', found);
          return next(exchange);
        },
        (error: unknown) => refuse(errorText(error), exchange),
      );
    };
  },
});
