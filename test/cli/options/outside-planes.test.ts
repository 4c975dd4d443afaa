import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readOutsidePlanes } from '../../../cli/options/outside-planes.ts';
import type { PlaneClaims } from '../../../controller/publish/channel/plane-authentication.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const token = 'a'.repeat(32);
const claims: PlaneClaims = { name: 'plane-1', labels: {} };

describe('planes outside of a cluster', () => {
  it('are none without a file', () => {
    expect(readOutsidePlanes(undefined)).toEqual({ authenticators: [], authorities: null });
  });

  it('authenticate with tokens in files, with a group, labels and claimable labels', async () => {
    const labels = { site: 'berlin' };
    const path = settings({ tokens: [{ tokenFile: 'edge.token', group: 'edge', labels, mayClaim: ['rack'] }] });
    const { authenticators, authorities } = readOutsidePlanes(path);
    expect([authenticators.length, authorities]).toEqual([1, null]);
    const grant = await authenticators[0]!.authenticate({ token, certificate: null });
    expect(grant?.identify({ ...claims, labels: { rack: '7' } })).toMatchObject({
      name: 'plane-1',
      group: 'edge',
      labels: { site: 'berlin', rack: '7' },
    });
    expect(await authenticators[0]!.authenticate({ token: 'b'.repeat(32), certificate: null })).toBeNull();
  });

  it('authenticate with certificates of the configured CAs', async () => {
    const planes = [{ names: ['*.edge.test'], group: 'edge' }];
    const { authenticators, authorities } = readOutsidePlanes(
      settings({ certificates: { authorities: 'edge-ca.pem', planes } }),
    );
    expect(authorities).toBe('PEM of an authority\n');
    const authority = certificateAuthority('edge');
    const certified = (name: string) => new X509Certificate(authority.issue({ names: [name] }).certificate);
    const [judge] = authenticators;
    const grant = await judge!.authenticate({ token: null, certificate: certified('a.edge.test') });
    expect(grant?.identify({ ...claims, name: 'a.edge.test' })).toMatchObject({ name: 'a.edge.test', group: 'edge' });
    const stranger = judge!.authenticate({ token: null, certificate: certified('a.other.test') });
    await expect(stranger).rejects.toThrow(/no group accepts data planes/);
  });

  it.each<[string, object | string, RegExp]>([
    ['no JSON', '{ tokens', /^\S+planes\.json is not JSON: /],
    ['nobody', {}, /planes\.json admits no data plane: it has no tokens and no certificates/],
    ['a misspelt field', { token: [] }, /planes\.json:\n.*"token"/],
    ['a token without a group', { tokens: [{ tokenFile: 'edge.token' }] }, /tokens\[0\]\.group/],
    [
      'a token that is not there',
      { tokens: [{ tokenFile: 'no.token', group: 'a' }] },
      /no\.token cannot be read: ENOENT$/,
    ],
    [
      'a token that can be guessed',
      { tokens: [{ tokenFile: 'short.token', group: 'a' }] },
      /short\.token: .* 32 charac/,
    ],
    [
      'authorities that are not there',
      { certificates: { authorities: 'no.pem', planes: [{ names: ['a'], group: 'a' }] } },
      /no\.pem cannot be read: ENOENT$/,
    ],
    ['certificates of nobody', { certificates: { authorities: 'edge-ca.pem', planes: [] } }, /certificates\.planes/],
  ])('are refused: %s', (_, content, expected) => {
    expect(() => readOutsidePlanes(settings(content))).toThrow(expected);
  });

  it('are rejected when the file is missing', () => {
    expect(() => readOutsidePlanes('/no/planes.json')).toThrow('/no/planes.json cannot be read: ENOENT');
  });
});

function settings(content: object | string): string {
  const { path } = watchedDirectory();
  writeFileSync(join(path, 'edge.token'), `${token}\n`);
  writeFileSync(join(path, 'short.token'), 'a\n');
  writeFileSync(join(path, 'edge-ca.pem'), 'PEM of an authority\n');
  writeFileSync(join(path, 'planes.json'), typeof content === 'string' ? content : JSON.stringify(content));
  return join(path, 'planes.json');
}
