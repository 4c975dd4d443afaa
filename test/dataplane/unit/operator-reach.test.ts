import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

it.each([
  ['user.home', homedir()],
  ['user.dir', process.cwd()],
  ['java.io.tmpdir', '/tmp'],
  ['file.separator', '/'],
  ['path.separator', ':'],
  ['line.separator', '\n'],
  ['java.version', undefined],
  ['toString', undefined],
])('provides the Java system property %s, or none', (name, value) => {
  expect(operatorReach().system(name)).toBe(value);
});

it('uses the given values', () => {
  const reach = operatorReach({}, { 'user.home': '/home/given', own: 'x' });
  expect([reach.system('user.home'), reach.system('own')]).toEqual(['/home/given', 'x']);
  expect(reach.systemNames()).toEqual(['user.home', 'own']);
});
