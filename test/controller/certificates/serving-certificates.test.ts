import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { CertificateAuthority } from '../../../controller/certificates/certificate-authority.ts';
import { ServingCertificates } from '../../../controller/certificates/serving-certificates.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';

const DAY = 24 * 60 * 60 * 1_000;

it('renews a certificate at two thirds of its lifetime and after a CA rotation', async () => {
  const clock = new ManualClock();
  const lifetimes = { authority: 300 * DAY, serving: 90 * DAY, overlap: DAY };
  const authority = CertificateAuthority.create(clock.wall(), lifetimes);
  const renewed: string[] = [];
  const serving = new ServingCertificates({
    authority,
    names: ['localhost'],
    clock,
    renewed: ({ certificate }) => renewed.push(certificate),
  });
  const first = serving.current.certificate;
  await clock.pass(60 * DAY - 1);
  expect(renewed).toEqual([]);
  await clock.pass(1);
  expect(renewed).toHaveLength(1);
  expect(renewed[0]).not.toBe(first);
  serving.take(CertificateAuthority.parse(authority.serialised()));
  expect(renewed).toHaveLength(1);
  const another = CertificateAuthority.create(clock.wall());
  serving.take(another);
  expect(renewed).toHaveLength(2);
  const current = new X509Certificate(serving.current.certificate);
  expect(current.verify(new X509Certificate(another.bundle()).publicKey)).toBe(true);
  serving.close();
  expect(clock.pending).toBe(0);
});

it('switches to a new CA when that starts to sign', async () => {
  const clock = new ManualClock();
  const lifetimes = { authority: 90 * DAY, serving: 20 * DAY, overlap: 2 * DAY };
  let authority = CertificateAuthority.create(clock.wall(), lifetimes);
  const serving = new ServingCertificates({ authority, names: ['localhost'], clock, renewed: () => undefined });
  await clock.pass(60 * DAY);
  authority = authority.rotate(clock.wall());
  serving.take(authority);
  const signer = (): boolean =>
    new X509Certificate(serving.current.certificate).verify(
      new X509Certificate(authority.current(clock.wall())).publicKey,
    );
  const before = authority.current(clock.wall());
  expect(signer()).toBe(true);
  await clock.pass(2 * DAY);
  expect(authority.current(clock.wall())).not.toBe(before);
  expect(signer()).toBe(true);
  serving.close();
});

it('does not make certificates all the time when the authority has ended', async () => {
  const clock = new ManualClock();
  const authority = CertificateAuthority.create(clock.wall(), { authority: 3 * DAY, serving: DAY, overlap: DAY });
  let renewed = 0;
  const serving = new ServingCertificates({ authority, names: ['localhost'], clock, renewed: () => renewed++ });
  await clock.pass(3 * DAY);
  renewed = 0;
  await clock.pass(60 * 60_000);
  expect(renewed).toBeGreaterThan(0);
  expect(renewed).toBeLessThanOrEqual(60);
  serving.close();
});

it('notices within an hour that the clock was put forward', async () => {
  const clock = new ManualClock();
  let ahead = 0;
  let renewed = 0;
  const serving = new ServingCertificates({
    authority: CertificateAuthority.create(clock.wall()),
    names: ['localhost'],
    clock: {
      wall: () => clock.wall() + ahead,
      steady: () => clock.steady(),
      after: (milliseconds, run) => clock.after(milliseconds, run),
    },
    renewed: () => renewed++,
  });
  await clock.pass(60 * 60_000);
  expect(renewed).toBe(0);
  ahead = 50 * DAY;
  await clock.pass(60 * 60_000);
  expect(renewed).toBe(1);
  serving.close();
});
