import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CertificateAuthority } from '../../controller/certificates/certificate-authority.ts';
import { ControllerAddresses } from '../../dataplane/link/controller-addresses.ts';
import { ControllerLink } from '../../dataplane/link/controller-link.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../support/channel/served-channel.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';

const MINUTE = 60_000;
/** Each is valid from an hour before it is made, so that all of them are while the test runs. */
const lifetimes = { authority: 30 * MINUTE, serving: 10 * MINUTE, overlap: 2 * MINUTE };
const hello = { version: '1', catalogue: 'c', units: 1, name: 'edge-1' };
const report = { revision: null, ready: true, unitsServing: 1, clock: 1, since: 'then', routes: [] };

/** A controller whose authority the test rotates, and a plane that was given the first authority once. */
async function scene(isTold: boolean) {
  const begun = Date.now();
  let authority = CertificateAuthority.create(begun, lifetimes);
  const first = authority.bundle();
  const certificate = (now: number) => {
    const issued = authority.issue(['127.0.0.1'], now);
    return { certificate: issued.certificate, key: issued.key, clientAuthorities: null };
  };
  const channel = await new ServedChannel({
    server: { host: '127.0.0.1', tls: certificate(begun) },
    sessions: { settings: { heartbeat: 100 }, ...(isTold ? { authorities: () => authority.bundle() } : {}) },
  }).start();
  const folder = new InstanceFolder({ ca: first, token: CHANNEL_TOKEN });
  const make = (): ControllerLink =>
    new ControllerLink({
      addresses: new ControllerAddresses([{ host: '127.0.0.1', port: channel.port }]),
      files: { ca: folder.at('ca'), token: folder.at('token'), certificate: undefined, key: undefined },
      plane: {
        hello: () => ({ ...hello, holds: { revision: null, base: null, routes: [] } }),
        apply: async () => ({ taken: true, problems: [], newer: [] }),
        recall: () => [],
        report: () => report,
      },
      log: pino({ enabled: false }),
      retry: { first: 1, longest: 20 },
    });
  const links: ControllerLink[] = [];
  const start = (): ControllerLink => {
    const link = make();
    links.push(link);
    link.start();
    return link;
  };
  onTestFinished(async () => {
    for (const link of links) link.close();
    await channel.close();
    folder[Symbol.dispose]();
  });
  return {
    start,
    first,
    bundle: () => authority.bundle(),
    /** What the leader and every controller do at that minute. */
    passTo(minute: number): void {
      const now = begun + minute * MINUTE;
      authority = authority.rotate(now);
      channel.server.renew(certificate(now));
    },
    /** Ends the stream as one ends that is old or lost. */
    async endStream(): Promise<void> {
      await channel.until(() => channel.facts() !== undefined);
      channel.sessions.end(channel.facts()!.identity.id, 'a test');
    },
  };
}

it('a data plane with its initial CA certificates keeps working after they expired', async () => {
  const { start, first, bundle, passTo, endStream } = await scene(true);
  const link = start();
  await vi.waitFor(() => expect(link.state.reconnects).toBe(0));
  await vi.waitFor(() => expect(link.state.connected).toBe(true));
  passTo(21); // the next authority is told, and the first still signs
  await endStream();
  await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, reconnects: 1 }));
  passTo(24); // the next one signs
  await endStream();
  await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, reconnects: 2 }));
  passTo(31); // the first one is gone
  expect(bundle()).not.toContain(first.trim());
  await endStream();
  await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, reconnects: 3 }));
  passTo(42); // a third one is told
  await endStream();
  await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, reconnects: 4 }));
});

it('a restarted data plane with only the first CA is accepted until that CA expires', async () => {
  const { start, passTo } = await scene(true);
  passTo(21);
  passTo(24); // the next one signs, and the first one vouches for it
  const late = start();
  await vi.waitFor(() => expect(late.state).toMatchObject({ connected: true }));
  passTo(31); // the first one is gone
  const tooLate = start();
  await vi.waitFor(() => expect(tooLate.state.lastFailure).toMatch(/certificate/));
  expect(tooLate.state.connected).toBe(false);
});

it('a data plane without CA updates trusts only its initial CA certificates', async () => {
  const { start, passTo, endStream } = await scene(false);
  const link = start();
  await vi.waitFor(() => expect(link.state.connected).toBe(true));
  passTo(21);
  passTo(31);
  await endStream();
  await vi.waitFor(() => expect(link.state.lastFailure).toMatch(/certificate/));
  expect(link.state.connected).toBe(false);
});
