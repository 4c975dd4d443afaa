import { expect, it } from 'vitest';
import { errorOfAnswer } from '../../../../controller/cluster/api/api-error.ts';

const said = (message: string): object => ({ kind: 'Status', message });

it.each<[number, unknown, string]>([
  [404, said('routes "a" not found'), '404: routes "a" not found'],
  [
    404,
    undefined,
    'the API server answered 404: it does not know this kind; are the CustomResourceDefinitions installed?',
  ],
  [503, undefined, 'the API server answered 503'],
  [403, said('no'), '403: no'],
])('a response %d with %j is reported as %j', (status, content, expected) => {
  expect(errorOfAnswer(status, content, null)).toMatchObject({ status, message: expected });
});
