import { describe, expect, it } from 'vitest';
import { installedPackage, lockedPackage } from '../../image/locked-packages.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

const lock = { packages: { 'node_modules/one': { version: '1.2.3', integrity: 'sha512-AAAA', license: 'MIT' } } };

function checkout(installed: string): InstanceFolder {
  return new InstanceFolder({
    'package-lock.json': JSON.stringify(lock),
    'node_modules/one/package.json': JSON.stringify({ name: 'one', version: installed }),
  });
}

describe('a package of the lockfile', () => {
  it('is returned with its hash', () => {
    using folder = checkout('1.2.3');
    const expected = { version: '1.2.3', integrity: 'sha512-AAAA', license: 'MIT' };
    expect(lockedPackage(folder.path, 'node_modules/one')).toEqual(expected);
    expect(installedPackage(folder.path, 'node_modules/one')).toEqual(expected);
  });

  it('is not returned if another one is not locked', () => {
    using folder = checkout('1.2.3');
    expect(() => lockedPackage(folder.path, 'node_modules/two')).toThrow('does not lock node_modules/two');
  });

  it('is not returned for another installed version', () => {
    using folder = checkout('1.2.4');
    expect(() => installedPackage(folder.path, 'node_modules/one')).toThrow('is installed as 1.2.4');
  });
});
