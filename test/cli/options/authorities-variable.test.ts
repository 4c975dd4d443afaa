import { expect, it } from 'vitest';
import { authoritiesIn } from '../../../cli/options/authorities-variable.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

const one = certificateAuthority('one').certificate.trim();
const other = certificateAuthority('other').certificate.trim();
const damaged = one.replace(/.\n.*\n-----END/, '\n-----END');

it.each<[string, string | undefined, object]>([
  ['one certificate', one, { authorities: `${one}\n` }],
  ['two with words between', `${one}\n# the next\n${other}\n`, { authorities: `${one}\n${other}\n` }],
  ['nothing', undefined, { problem: 'there is no environment variable CA' }],
  ['an empty text', '', { problem: 'the environment variable CA contains no PEM certificate' }],
  ['something else', 'ca.crt', { problem: 'the environment variable CA contains no PEM certificate' }],
  ['a damaged one', `${one}\n${damaged}`, { problem: 'certificate 2 of the environment variable CA is damaged' }],
])('reads %s', (_, text, found) => {
  expect(authoritiesIn(text === undefined ? {} : { CA: text }, 'CA')).toEqual(found);
});

it.each<[string[], number, string]>([
  [['--ca-env', 'NO_SUCH'], 1, 'gatewarden dataplane: --ca-env: there is no environment variable NO_SUCH\n'],
  [['--ca-env', 'NO_SUCH', '--ca', 'x'], 2, 'gatewarden dataplane: --ca and --ca-env cannot be given together\n'],
  [['--ca-env', 'a b'], 2, "must be the name of an environment variable, not 'a b'"],
])('a plane is refused %j', async (words, code, message) => {
  const outcome = await runProgram(gatewarden, [
    'dataplane',
    '--controller',
    '127.0.0.1:1',
    '--admin',
    'off',
    ...words,
  ]);
  expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringContaining(message)]);
});
