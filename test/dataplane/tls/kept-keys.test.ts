import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { type KeyUsage, NoSuchSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { Complaints } from '../../../dataplane/tls/complaints.ts';
import { KeptKeys } from '../../../dataplane/tls/kept-keys.ts';
import { tlsRules } from '../../../dataplane/tls/options/tls-rules.ts';
import { untilTrue } from '../../support/clients/event-loop.ts';
import { askSecurely } from '../../support/clients/secure-client.ts';
import { startSecure } from '../../support/gateways/secure-gateway.ts';
import { type Certified, certificateAuthority } from '../../support/identity/certificates.ts';
import { changingKeys, changingTrust, tlsKey } from '../../support/identity/changing-tls-secrets.ts';

const ca = certificateAuthority('servers');
const issued = (name: string): Certified => ca.issue({ names: [name] });
/** A key that TLS does not take. */
const unusable = (): Certified => ca.issue({ names: ['weak.test'], keyType: 'rsa', modulusLength: 512 });

/** Keys by id that a test changes, and what is logged of them. */
function kept(first: Readonly<Record<string, Certified>>) {
  const byId = new Map(Object.entries(first));
  const logged: { readonly msg: string; readonly reason: string }[] = [];
  const unused = (): never => {
    throw new Error('only keys are asked for');
  };
  const secretsProvider = {
    ...{ active: unused, valid: unused, key: unused, named: unused, watch: () => () => {} },
    async keys(usage: KeyUsage, id: string) {
      const certified = byId.get(id);
      if (certified === undefined) throw new NoSuchSecret(id, usage, ['store'], null);
      const { privateKey: key, certificates } = tlsKey(certified);
      return [
        {
          kind: 'key' as const,
          stableId: id,
          key,
          certificates,
          usages: new Set([usage]),
          algorithm: null,
          revocations: [],
        },
      ];
    },
  };
  const serverNames = new Map([['shop.test', 'shop']]);
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const source = { serverNames, defaultSecretId: 'standard', secretsProvider };
  return { byId, logged, keys: new KeptKeys(source, tlsRules({}), new Complaints(log)) };
}

async function subjects(keys: KeptKeys): Promise<(string | undefined)[]> {
  const { standard, byName } = await keys.current();
  return [standard, byName.get('shop.test')].map((shown) => shown?.[0]?.certificates[0]?.subject);
}

describe('keys by the name of the server', () => {
  it.each<[string, Certified | null, RegExp]>([
    ['is gone', null, /no secret 'shop'/],
    ['cannot be used', unusable(), /the key of CN=weak\.test cannot be used: .*too small/],
  ])('are renewed, also when one %s: its last one stays', async (_case, then, reason) => {
    const { keys, byId, logged } = kept({ standard: issued('old.test'), shop: issued('shop.test') });
    expect(await subjects(keys)).toEqual(['CN=old.test', 'CN=shop.test']);
    if (then === null) byId.delete('shop');
    else byId.set('shop', then);
    byId.set('standard', issued('new.test'));
    expect(await subjects(keys)).toEqual(['CN=new.test', 'CN=shop.test']);
    await keys.current();
    expect(logged.map(({ msg }) => msg)).toEqual(['TLS key not found any more; still using the last one']);
    expect(logged[0]).toMatchObject({ reason: expect.stringMatching(reason) });
    expect(logged[0]).not.toHaveProperty('err');
    byId.set('shop', issued('back.test'));
    expect(await subjects(keys)).toEqual(['CN=new.test', 'CN=back.test']);
  });

  it('must all be good at first', async () => {
    const { keys } = kept({ standard: issued('a.test') });
    await expect(keys.current()).rejects.toThrow("no secret 'shop'");
  });

  it('are the same object while they are the same', async () => {
    const { keys } = kept({ standard: issued('a.test'), shop: issued('b.test') });
    expect(await keys.current()).toBe(await keys.current());
  });
});

it('a change of CA certificates takes effect although a new key cannot be used', async () => {
  const [old, next] = [certificateAuthority('old'), certificateAuthority('next')];
  const keys = changingKeys(issued('gateway.test'));
  const trust = changingTrust({ certificates: [old.certificate] });
  const gateway = await startSecure({ keys: [keys.manager], trust: [trust.manager], clientAuth: 'REQUIRED' });
  const as = ({ key, chain: cert }: Certified) => askSecurely(gateway.port, { ca: ca.certificate, key, cert });
  const [before, after] = [old.issue({ client: true }), next.issue({ client: true })];
  expect((await as(before)).status).toMatch(/204/);
  keys.change([unusable()]);
  await untilTrue(() => gateway.logged.some(({ msg }) => /still using/.test(String(msg))));
  trust.change({ certificates: [next.certificate] });
  expect((await as(after)).status).toMatch(/204/);
  await expect(as(before)).rejects.toThrow();
});
