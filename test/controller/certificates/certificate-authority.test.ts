import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../controller/certificates/certificate-authority.ts';

const DAY = 24 * 60 * 60 * 1_000;
const now = Date.parse('2026-11-15T12:00:00Z');
const names = ['controller.gatewarden.svc', '10.0.0.7', 'fd00::1:7', '*.example.com'];

describe('the authority of the controllers', () => {
  it('issues certificates that its own certificate vouches for', () => {
    const authority = CertificateAuthority.create(now);
    const issued = authority.issue(names, now);
    const certificate = new X509Certificate(issued.certificate);
    const root = new X509Certificate(authority.bundle());
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
    expect(certificate.checkHost('controller.gatewarden.svc')).toBeDefined();
    expect(certificate.checkHost('a.example.com')).toBeDefined();
    expect(certificate.checkHost('other.gatewarden.svc')).toBeUndefined();
    expect(certificate.checkIP('10.0.0.7')).toBe('10.0.0.7');
    expect(certificate.checkIP('fd00::1:7')).toBe('fd00::1:7');
    expect(certificate.checkIP('10.0.0.8')).toBeUndefined();
    expect(certificate.validFromDate.getTime()).toBeLessThan(now);
    expect(certificate.validToDate.getTime()).toBe(now + 60 * DAY);
  });

  it('never repeats a serial number or key', () => {
    const authority = CertificateAuthority.create(now);
    const [a, b] = [authority.issue(names, now), authority.issue(names, now)];
    expect(new X509Certificate(a.certificate).serialNumber).not.toBe(new X509Certificate(b.certificate).serialNumber);
    expect(a.key).not.toBe(b.key);
  });

  it('renews a certificate at two thirds of its lifetime', () => {
    const { renewAt } = CertificateAuthority.create(now, { serving: 30 * DAY }).issue(names, now);
    expect(renewAt).toBe(now + 20 * DAY);
  });

  it('publishes a new CA before it signs, and the old CA until it expires', () => {
    const first = CertificateAuthority.create(now, { authority: 90 * DAY, overlap: 2 * DAY, serving: 10 * DAY });
    expect(first.rotate(now + 59 * DAY)).toBe(first);
    const both = first.rotate(now + 60 * DAY);
    const [newer, older] = certificatesOf(both.bundle());
    expect(older).toBe(first.bundle());
    expect(both.rotate(now + 61 * DAY)).toBe(both);
    expect(both.current(now + 61 * DAY)).toBe(older);
    expect(both.issue(names, now + 61 * DAY).renewAt).toBe(now + 62 * DAY);
    expect(both.current(now + 62 * DAY)).toBe(newer);
    expect(both.rotate(now + 90 * DAY).bundle()).toBe(newer);
    const issued = new X509Certificate(both.issue(names, now + 62 * DAY).certificate);
    expect(issued.verify(new X509Certificate(newer ?? '').publicKey)).toBe(true);
  });

  it('is cross-signed by the previous CA until that expires', () => {
    const first = CertificateAuthority.create(now, { authority: 90 * DAY, overlap: 2 * DAY });
    const both = first.rotate(now + 60 * DAY);
    const old = new X509Certificate(first.bundle());
    expect(certificatesOf(both.issue(names, now + 61 * DAY).certificate)).toHaveLength(1);
    const [server, vouching, ...more] = certificatesOf(both.issue(names, now + 63 * DAY).certificate);
    const cross = new X509Certificate(vouching!);
    expect(more).toEqual([]);
    expect(new X509Certificate(server!).checkIssued(cross)).toBe(true);
    expect([cross.checkIssued(old), cross.verify(old.publicKey), cross.ca]).toEqual([true, true, true]);
    expect(cross.validToDate.getTime()).toBe(now + 90 * DAY);
    expect(certificatesOf(both.rotate(now + 91 * DAY).issue(names, now + 91 * DAY).certificate)).toHaveLength(1);
  });

  it('creates a new CA when everything has expired', () => {
    const first = CertificateAuthority.create(now, { authority: 90 * DAY });
    const again = first.rotate(now + 91 * DAY);
    expect(certificatesOf(again.bundle())).toHaveLength(1);
    expect(again.current(now + 91 * DAY)).not.toBe(first.current(now));
  });

  it('does not outlive its authority with a certificate', () => {
    const authority = CertificateAuthority.create(now, { authority: 10 * DAY, serving: 60 * DAY });
    const issued = new X509Certificate(authority.issue(names, now + DAY).certificate);
    expect(issued.validToDate.getTime()).toBe(now + 10 * DAY);
  });

  it('can be restored from its stored form', () => {
    const authority = CertificateAuthority.create(now);
    const again = CertificateAuthority.parse(authority.serialised());
    expect(again.bundle()).toBe(authority.bundle());
    expect(
      new X509Certificate(again.issue(names, now).certificate).verify(
        new X509Certificate(authority.bundle()).publicKey,
      ),
    ).toBe(true);
  });

  it.each(['', 'secret-text', '{}', '{"version":2,"authorities":[]}', '{"version":1,"authorities":[]}'])(
    'rejects %j as a stored form, without quoting it',
    (text) => {
      expect(() => CertificateAuthority.parse(text)).toThrow(/^the stored CA is/);
    },
  );

  it.each(['2049-12-01T00:00:00Z', '2050-02-01T00:00:00Z'])(
    'encodes years around 2050 as X.509 requires: %s',
    (text) => {
      const moment = Date.parse(text);
      const { certificate } = CertificateAuthority.create(moment).issue(names, moment);
      expect(new X509Certificate(certificate).validToDate.getTime()).toBe(moment + 60 * DAY);
    },
  );
});

function certificatesOf(pem: string): string[] {
  return pem.match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n/g) ?? [];
}
