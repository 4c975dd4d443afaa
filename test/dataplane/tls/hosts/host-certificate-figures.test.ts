import { expect, it } from 'vitest';
import type { ServerCertificate } from '../../../../contract/snapshot.ts';
import { Gauges } from '../../../../dataplane/metrics/gauges.ts';
import { readHostCertificate } from '../../../../dataplane/tls/hosts/host-certificate.ts';
import { MOST_READ, showHostCertificates } from '../../../../dataplane/tls/hosts/host-certificate-figures.ts';
import { hostCertificate } from '../../../support/channel/host-certificate-resource.ts';
import { type CertificateWish, certificateAuthority } from '../../../support/identity/certificates.ts';

const ca = certificateAuthority('hosts');
const EXPIRY = 'gw_tls_host_certificate_expiry_seconds';

function held(secret: string, wish: CertificateWish = {}): ServerCertificate {
  return hostCertificate({ tenant: 'shop', secret }, ['shop.test'], ca.issue({ names: ['shop.test'], ...wish }));
}

/** Gauges of the certificates that a test gives, as a report of the unit has them. */
function shownBy(hosts: { all: readonly ServerCertificate[] }, now?: () => number) {
  const gauges = new Gauges();
  showHostCertificates(hosts, (metric, labels, read) => gauges.add(metric, labels, read), now);
  let last: Record<string, number> = {};
  return (): Record<string, number> => {
    const values = gauges.changed();
    if (values !== null) last = Object.fromEntries(values.map((one) => [one.labels['state'] ?? one.metric, one.value]));
    return last;
  };
}

const NONE = { Ready: 0, Expiring: 0, Expired: 0, NotYetValid: 0, Unusable: 0, Pending: 0 };
const endOf = ({ chain, privateKey }: ServerCertificate): number => readHostCertificate(chain, privateKey).notAfter;

it('certificates of hosts are counted by state, with the earliest expiry of those that can be used', () => {
  const [ready, expired] = [held('a'), held('b', { expired: true })];
  const unusable = { ...held('d'), privateKey: ready.privateKey };
  const hosts: { all: readonly ServerCertificate[] } = { all: [] };
  const shown = shownBy(hosts);
  expect(shown()).toEqual({ ...NONE, [EXPIRY]: 0 });
  hosts.all = [ready, expired, held('c', { early: true }), unusable];
  expect(shown()).toEqual({
    ...NONE,
    Ready: 1,
    Expired: 1,
    NotYetValid: 1,
    Unusable: 1,
    [EXPIRY]: endOf(expired) / 1000,
  });
  hosts.all = [ready, unusable];
  expect(shown()).toEqual({ ...NONE, Ready: 1, Unusable: 1, [EXPIRY]: endOf(ready) / 1000 });
  hosts.all = [];
  expect(shown()).toEqual({ ...NONE, [EXPIRY]: 0 });
});

it('the state of a certificate of a host changes with the time', () => {
  const one = held('a');
  let now = Date.now();
  const shown = shownBy({ all: [one] }, () => now);
  expect(shown()).toMatchObject({ Ready: 1 });
  now = endOf(one) - 1000;
  expect(shown()).toMatchObject({ Ready: 0, Expiring: 1 });
  now = endOf(one);
  expect(shown()).toMatchObject({ Expiring: 0, Expired: 1 });
});

it('many certificates of hosts are read by and by, and each once', () => {
  const [first, renewed] = [held('a'), held('b')];
  const many = Array.from({ length: MOST_READ + 1 }, (_, at) => ({ ...first, hash: String(at) }));
  const hosts = { all: many };
  const shown = shownBy(hosts);
  expect(shown()).toMatchObject({ Ready: MOST_READ, Pending: 1 });
  expect(shown()).toMatchObject({ Ready: MOST_READ + 1, Pending: 0 });
  let reads = 0;
  const watched = (one: ServerCertificate): ServerCertificate => ({
    ...one,
    get chain() {
      reads++;
      return one.chain;
    },
  });
  hosts.all = [...many.map(watched), watched(renewed)];
  reads = 0;
  expect(shown()).toMatchObject({ Ready: MOST_READ + 2, Pending: 0 });
  expect(reads).toBe(1);
});
