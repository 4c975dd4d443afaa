import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { chosenProtocol, chosenVersion, readApiVersions, versionText } from '../../../contract/crest/api-version.ts';

interface Vectors {
  readonly valid: readonly (readonly [string, string | null, string | null])[];
  readonly invalid: readonly string[];
}

const file = new URL('../../vectors/accept-api-version.json', import.meta.url);
const { valid, invalid } = JSON.parse(readFileSync(file, 'utf8')) as Vectors;

describe('Accept-API-Version', () => {
  it.each(valid)('%j asks for the protocol %s and the resource %s', (text, protocol, resource) => {
    const read = readApiVersions(text);
    expect(read.protocol && versionText(read.protocol)).toBe(protocol);
    expect(read.resource && versionText(read.resource)).toBe(resource);
  });

  it.each([
    ...invalid,
    'protocol=1,protocol=2',
    'protocol=1,,resource=1',
    ',',
    'protocol =1',
    'protocol=-1',
    'protocol=1.',
    'protocol=99999999999',
    'protocol=1;resource=2',
  ])('refuses %j', (text) => {
    expect(() => readApiVersions(text)).toThrow('Accept-API-Version');
  });

  it.each(['0.9', '1.2', '2.3', '3.0'])('does not have protocol %s', (text) => {
    expect(() => chosenProtocol(readApiVersions(`protocol=${text}`).protocol)).toThrow('not available');
  });

  it('chooses the newest minor version of the asked major version', () => {
    const available = [
      { major: 1, minor: 0 },
      { major: 2, minor: 0 },
      { major: 1, minor: 3 },
    ];
    const chosen = (text: string): string => versionText(chosenVersion(available, readApiVersions(text).resource));
    expect(chosen('')).toBe('2.0');
    expect(chosen('resource=1')).toBe('1.3');
    expect(chosen('resource=1.3')).toBe('1.3');
    expect(() => chosen('resource=1.4')).toThrow('resource version 1.4 is not available');
    expect(() => chosen('resource=3')).toThrow('not available');
  });
});
