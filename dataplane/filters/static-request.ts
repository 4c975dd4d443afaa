import { defineFilter } from '../heap/definition.ts';
import { replacementFields, replacingRequest } from './replaced-request.ts';

/** Sends another request in place of the one that came. */
export const staticRequestFilter = defineFilter({
  type: 'StaticRequestFilter',
  summary:
    'Replaces the request with a new one that has the configured method, URI, headers and content. Nothing of ' +
    'the original request is kept, except values that expressions take from it. Values that evaluate to null are ' +
    'left out. A malformed URI gives an empty 500.',
  config: replacementFields,
  examples: [
    {
      title: 'Log in with a form',
      config: {
        method: 'POST',
        uri: 'http://app.example.com/login',
        form: { username: ["${request.headers['X-User'][0]}"], password: ['${attributes.password}'] },
      },
    },
  ],
  setsUri: () => true,
  create: (config, parts) => replacingRequest(config, parts),
});
