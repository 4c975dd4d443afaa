import { expect, it } from 'vitest';
import { controllerFailure } from '../../../cli/output/controller-failure.ts';
import { ApiError } from '../../../controller/cluster/api/api-error.ts';

const at = { server: 'https://cluster.test', namespace: 'gatewarden' };
const answered = (status: number, message: string): ApiError => new ApiError(message, { status, reason: '' });

it.each([
  [answered(0, 'the API server did not answer: ECONNREFUSED'), /^https:\/\/cluster\.test: the API .* ECONNREFUSED$/],
  [answered(401, '401: Unauthorized'), /^https:\/\/cluster\.test: 401: Unauthorized; the credentials .* expired$/],
  [answered(403, '403: no'), /^https:\/\/cluster\.test: 403: no; docs\/controller-rights\.yaml /],
  [answered(404, '404: namespaces "gatewarden" not found'), /; create the namespace gatewarden, .*--namespace$/],
  [new Error('listen EADDRINUSE: address already in use 127.0.0.1:9090'), /^127\.0\.0\.1:9090 is in use: /],
  [
    new Error(
      'No address added out of total 1 resolved errors: [listen EADDRINUSE: address already in use [::1]:9443]',
    ),
    /^\[::1\]:9443 is in use: /,
  ],
  [new Error('something else'), /^something else$/],
  ['no error', /^no error$/],
])('%s becomes a message for the operator', (error, expected) => {
  expect(controllerFailure(error, at).message).toMatch(expected);
});
