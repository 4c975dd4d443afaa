import { defineService } from '../../heap/definition.ts';
import { exampleService } from '../sign-on/sign-on-fields.ts';
import { profileCacheOptions, profileFields } from './profile-fields.ts';
import { ProfileReader } from './profile-reader.ts';

/** Reads profiles of users, for UserProfileFilters. */
export const userProfileService = defineService({
  type: 'UserProfileService',
  kind: 'userProfileService',
  summary:
    'Reads profiles of users from an access manager (`GET /json/users/NAME`) as its agent. Names are percent-encoded; a ' +
    'name that would have another meaning in a path, such as `..` or one with a slash, has no profile.',
  config: profileFields,
  examples: [
    {
      title: 'Names and addresses, cached for five minutes',
      config: {
        amService: exampleService,
        profileAttributes: ['cn', 'mail'],
        cache: { enabled: true, maximumTimeToCache: '5 minutes' },
      },
    },
  ],
  create(config, parts) {
    const service = parts.resolve(config.amService);
    const { profileAttributes } = config;
    const reader = new ProfileReader({
      service,
      realm: config.realm ?? service.realm,
      attributes: profileAttributes === undefined || profileAttributes.length === 0 ? null : profileAttributes,
      cache: profileCacheOptions(config.cache, parts),
    });
    parts.onClose(() => reader.close());
    return reader;
  },
});
