import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Hello, Report } from '../../../contract/channel.ts';
import type { RouteEntry } from '../../../contract/snapshot.ts';
import { ControllerAddresses } from '../../../dataplane/link/controller-addresses.ts';
import {
  ControllerLink,
  type ControllerLinkOptions,
  type LinkedPlane,
  type Outcome,
} from '../../../dataplane/link/controller-link.ts';
import type { LinkFiles } from '../../../dataplane/link/link-credentials.ts';
import type { WholeUpdate } from '../../../dataplane/link/newest-update.ts';
import { ScriptedController, type ScriptedControllerOptions } from '../../support/channel/scripted-controller.ts';
import { certificateAuthority } from '../../support/identity/certificates.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const hello: Omit<Hello, 'type' | 'protocol'> = {
  version: '1',
  catalogue: 'digest',
  units: 1,
  name: 'edge-1',
  holds: { revision: null, base: null, routes: [] },
};
const report: Omit<Report, 'type'> = {
  revision: 'r',
  ready: true,
  unitsServing: 1,
  clock: 1,
  since: 'then',
  routes: [],
};
const route: RouteEntry = { router: 'r', id: 'a', name: 'a', document: { handler: 'x' }, hash: 'h' };
const taken: Outcome = { taken: true, problems: [], newer: [] };

interface Scene {
  readonly link: ControllerLink;
  readonly applied: WholeUpdate[];
  readonly lines: { readonly level: number; readonly msg: string; readonly [name: string]: unknown }[];
  readonly files: LinkFiles;
  write(name: string, text: string): void;
}

/** A link with a plane that takes everything, unless it is told otherwise. */
function scene(
  controllers: readonly ScriptedController[],
  parts: Partial<LinkedPlane> & { readonly options?: Partial<ControllerLinkOptions>; readonly host?: string } = {},
): Scene {
  const { path } = watchedDirectory();
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text);
  write('ca', controllers[0]!.authority.certificate);
  write('token', 'first-token\n');
  const files = { ca: join(path, 'ca'), token: join(path, 'token'), certificate: undefined, key: undefined };
  const applied: WholeUpdate[] = [];
  const lines: Scene['lines'] = [];
  const { options = {}, host = '127.0.0.1', ...plane } = parts;
  const link = new ControllerLink({
    addresses: new ControllerAddresses(
      controllers.map(({ port }) => ({ host, port })),
      { random: () => 0 },
    ),
    files,
    log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    retry: { first: 1, longest: 5 },
    plane: {
      hello: () => hello,
      async apply(update) {
        applied.push(update);
        return taken;
      },
      recall: () => [],
      report: () => report,
      ...plane,
    },
    ...options,
  });
  onTestFinished(() => link.close());
  return { link, applied, lines, files, write };
}

async function controller(options: ScriptedControllerOptions = {}): Promise<ScriptedController> {
  const started = await ScriptedController.start(options);
  onTestFinished(() => started.close());
  return started;
}

describe('the link to a controller', () => {
  it('sends hello and reports the state of the data plane', async () => {
    const peer = await controller({ welcome: { report: 5 } });
    const { link } = scene([peer]);
    link.start();
    const stream = await peer.next();
    expect(await stream.next('hello')).toEqual({ type: 'hello', protocol: 1, ...hello });
    expect(stream.metadata.get('authorization')).toEqual(['Bearer first-token']);
    for (let i = 0; i < 3; i++) expect(await stream.next('report')).toEqual({ type: 'report', ...report });
    expect(link.state).toMatchObject({ connected: true, controller: 'scripted', plane: 'p1', reconnects: 0 });
  });

  it('reports at once that the data plane serves, and not with every update', async () => {
    const peer = await controller({ welcome: { report: 3_600_000 } });
    let updates = 0;
    const { link } = scene([peer], {
      apply: async () => {
        updates++;
        return taken;
      },
      report: () => ({ ...report, ready: updates > 0, unitsServing: updates }),
    });
    link.start();
    const stream = await peer.next();
    expect(await stream.next('report')).toMatchObject({ ready: false });
    stream.update({ nonce: 1, full: true, revision: 'one' });
    expect(await stream.next('report')).toMatchObject({ ready: true, unitsServing: 1 });
    stream.update({ nonce: 2, revision: 'two' });
    stream.update({ nonce: 3, revision: 'three' });
    for (const nonce of [1, 2, 3]) expect(await stream.next('ack')).toMatchObject({ nonce });
    expect(stream.received.filter(({ type }) => type === 'report')).toHaveLength(2);
  });

  it.each([
    [null, 'no controller connected; no configuration to serve yet'],
    ['r', 'no controller connected; still serving the last revision'],
  ])('logs the effect of a missing controller, with revision %j', async (revision, expected) => {
    const peer = await controller();
    peer.close();
    const told = Promise.withResolvers<string>();
    const log = pino({ level: 'warn' }, { write: (line: string) => told.resolve(JSON.parse(line).msg) });
    const holds = { ...hello.holds, revision };
    const { link } = scene([peer], { hello: () => ({ ...hello, holds }), options: { log } });
    link.start();
    expect(await told.promise).toBe(expected);
  });

  it('applies complete updates, and acknowledges each', async () => {
    const peer = await controller();
    const { link, applied } = scene([peer]);
    link.start();
    const stream = await peer.next();
    const base = { document: {}, hash: 'b' };
    stream.update({ nonce: 7, more: true, base, full: true, set: [route] });
    stream.update({ nonce: 7, full: true, set: [{ ...route, id: 'b' }], revision: 'seven' });
    expect(await stream.next('ack')).toEqual({ type: 'ack', nonce: 7, revision: 'seven', problems: [], newer: [] });
    expect(applied).toMatchObject([{ revision: 'seven', full: true, base, set: [{ id: 'a' }, { id: 'b' }] }]);
  });

  it('discards incomplete updates', async () => {
    const peer = await controller();
    const { link, applied } = scene([peer]);
    link.start();
    const stream = await peer.next();
    stream.update({ nonce: 1, more: true, set: [route] });
    stream.update({ nonce: 2, set: [{ ...route, id: 'b' }] });
    expect(await stream.next('ack')).toMatchObject({ nonce: 2 });
    expect(applied).toMatchObject([{ set: [{ id: 'b' }] }]);
  });

  it('applies one update at a time, in order', async () => {
    const peer = await controller();
    const order: string[] = [];
    const gates = [Promise.withResolvers<Outcome>(), Promise.withResolvers<Outcome>()];
    const { link } = scene([peer], {
      apply({ revision }) {
        order.push(revision);
        return gates[order.length - 1]!.promise;
      },
    });
    link.start();
    const stream = await peer.next();
    stream.update({ revision: 'one' });
    stream.update({ revision: 'two' });
    await vi.waitFor(() => expect(order).toEqual(['one']));
    gates[0]!.resolve({ taken: false, problems: [{ route: null, problems: [], keepsServing: true }] });
    expect(await stream.next('nack')).toMatchObject({ nonce: 1, revision: 'one', problems: [{ route: null }] });
    expect(order).toEqual(['one', 'two']);
    gates[1]!.resolve({ ...taken, newer: [{ router: 'r', id: 'a' }] });
    expect(await stream.next('ack')).toMatchObject({ nonce: 2, newer: [{ id: 'a' }] });
  });

  it('refuses an update that the plane cannot even try', async () => {
    const peer = await controller();
    const { link } = scene([peer], { apply: () => Promise.reject(new Error('a fault')) });
    link.start();
    const stream = await peer.next();
    stream.update({});
    expect(await stream.next('nack')).toMatchObject({
      problems: [{ route: null, problems: [{ message: 'a fault' }] }],
    });
  });

  it('returns routes that the controller requests', async () => {
    const peer = await controller();
    const { link } = scene([peer], { recall: (asked) => (asked[0]?.hash === 'h' ? [route] : []) });
    link.start();
    const stream = await peer.next();
    stream.send({ type: 'recall', routes: [{ router: 'r', id: 'a', hash: 'h' }] });
    expect(await stream.next('recalled')).toEqual({ type: 'recalled', routes: [route] });
  });
});

describe('a link at its start', () => {
  it('reports an unreachable controller after every address was tried, and then the one that accepted', async () => {
    const [one, two] = [await ScriptedController.start(), await ScriptedController.start()];
    const { authority, port } = one;
    one.close();
    two.close();
    const told: string[] = [];
    const unreachable = Promise.withResolvers<void>();
    const welcomed = Promise.withResolvers<void>();
    const { link, lines } = scene([one, two], {
      unreachable() {
        told.push(`unreachable after ${lines.length > 0}`);
        unreachable.resolve();
      },
      welcomed() {
        told.push('welcomed');
        welcomed.resolve();
      },
    });
    link.start();
    await unreachable.promise;
    const back = await ScriptedController.start({ authority, port });
    onTestFinished(() => back.close());
    await welcomed.promise;
    expect([told[0], told.at(-1)]).toEqual(['unreachable after true', 'welcomed']);
  });
});

describe('a link that is lost', () => {
  it.each<[string, (peer: ScriptedController) => Promise<void>]>([
    ['ends', async (peer) => (await peer.next()).end()],
    ['fails', async (peer) => (await peer.next()).fail('UNAVAILABLE', 'gone')],
    ['is refused', async (peer) => (await peer.next()).fail('UNAUTHENTICATED', 'who are you')],
    ['talks nonsense', async (peer) => (await peer.next()).sendBytes(Buffer.from('{"type":'))],
    ['says what nobody knows', async (peer) => (await peer.next()).sendBytes(Buffer.from('{"type":"dance"}'))],
    ['is silent', async (peer) => void (await peer.next())],
  ])('reconnects when a stream %s', async (_, spoil) => {
    const peer = await controller({ welcome: { heartbeat: 20 }, isSilent: true });
    const { link } = scene([peer]);
    link.start();
    await spoil(peer);
    const next = await peer.next();
    next.send({ type: 'heartbeat' });
    expect(await next.next('hello')).toMatchObject({ name: 'edge-1' });
    await vi.waitFor(() => expect(link.state.reconnects).toBeGreaterThan(0));
  });

  it('lives on heartbeats', async () => {
    const peer = await controller({ welcome: { heartbeat: 100 } });
    const { link } = scene([peer]);
    link.start();
    const stream = await peer.next();
    for (let i = 0; i < 8; i++) await stream.next('heartbeat');
    expect(peer.streams).toHaveLength(1);
  });

  it('retries while no controller is reachable, with the current token', async () => {
    const first = await controller();
    const { link, write, lines } = scene([first]);
    link.start();
    await first.next();
    await vi.waitFor(() => expect(link.state.connected).toBe(true));
    first.close();
    await vi.waitFor(() => expect(link.state.lastFailure).toMatch(/ECONNREFUSED/));
    expect(link.state).toMatchObject({ connected: false, controller: 'scripted', reconnects: 0 });
    write('token', 'second-token');
    const second = await controller({ port: first.port, authority: first.authority });
    const stream = await second.next();
    expect(stream.metadata.get('authorization')).toEqual(['Bearer second-token']);
    await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, reconnects: 1, lastFailure: null }));
    // however many attempts there were, people are told once
    expect(lines.filter(({ msg }) => msg.startsWith('no controller'))).toHaveLength(1);
  });

  it('trusts another CA once its file has it', async () => {
    const peer = await controller();
    const { link, write } = scene([peer]);
    const stranger = await controller();
    write('ca', stranger.authority.certificate);
    link.start();
    await vi.waitFor(() => expect(link.state.lastFailure).toMatch(/certificate/));
    expect(peer.streams).toHaveLength(0);
    write('ca', stranger.authority.certificate + peer.authority.certificate);
    await peer.next();
  });

  it('stops trusting a CA that is removed from its file, even if controllers sent it', async () => {
    const authority = certificateAuthority('controllers');
    const peer = await controller({ authority, welcome: { authorities: authority.certificate } });
    const { link, write } = scene([peer]);
    link.start();
    const stream = await peer.next();
    await vi.waitFor(() => expect(link.state.connected).toBe(true));
    write('ca', certificateAuthority('another').certificate);
    stream.end();
    await vi.waitFor(() => expect(link.state.lastFailure).toMatch(/certificate/));
    expect(peer.streams).toHaveLength(1);
  });

  it('rejects a certificate for another name', async () => {
    const peer = await controller({ names: ['other.example'] });
    const { link } = scene([peer]);
    link.start();
    await vi.waitFor(() => expect(link.state.lastFailure).toMatch(/IP: 127.0.0.1 is not in the cert/));
    expect(peer.streams).toHaveLength(0);
  });

  it('verifies a controller by the name of its address', async () => {
    const peer = await controller({ names: ['localhost'] });
    const { link } = scene([peer], { host: 'localhost' });
    link.start();
    await peer.next();
  });

  it('continues with the next controller', async () => {
    const first = await controller();
    const second = await controller({ authority: first.authority });
    const { link } = scene([first, second]);
    link.start();
    (await first.next()).fail('UNAVAILABLE', 'gone');
    await second.next();
    first.close();
    (await second.streams[0]!.next('hello')).type satisfies 'hello';
    second.streams[0]!.fail('UNAVAILABLE', 'gone');
    await second.next();
  });

  it.each([
    ['token', '', /token contains no token/],
    ['token', 'a b', /token contains no token/],
    ['ca', 'nonsense', /ca contains no certificate/],
  ])('reports the problem of %s %j without quoting it', async (name, text, reason) => {
    const peer = await controller();
    const { link, write } = scene([peer]);
    write(name, text);
    link.start();
    await vi.waitFor(() => expect(link.state.lastFailure).toMatch(reason));
    write('token', 'better');
    write('ca', peer.authority.certificate);
    await peer.next();
  });
});

describe('a controller that sends goaway', () => {
  it('is left only after another stream is open', async () => {
    const peer = await controller();
    const { link, applied } = scene([peer]);
    link.start();
    const first = await peer.next();
    await vi.waitFor(() => expect(link.state.connected).toBe(true));
    first.send({ type: 'goaway', reason: 'old age' });
    first.update({ revision: 'too late' });
    const second = await peer.next();
    await vi.waitFor(() => expect(first.isClosed).toBe(true));
    expect(link.state).toMatchObject({ connected: true, reconnects: 1 });
    second.update({ revision: 'in time' });
    await second.next('ack');
    expect(applied.map(({ revision }) => revision)).toEqual(['in time']);
  });

  it('is kept while no other controller accepts the data plane, without confirming its state', async () => {
    const peer = await controller({ welcome: null });
    const told: boolean[] = [];
    const { link } = scene([peer], {
      report(isStoodBy) {
        told.push(isStoodBy);
        return report;
      },
    });
    link.start();
    const kept = await peer.next();
    const identity = { controller: 'c', plane: 'p', group: 'g', namespace: null, labels: {} };
    kept.send({ type: 'welcome', ...identity, heartbeat: 1000, report: 5 });
    await vi.waitFor(() => expect(link.state).toMatchObject({ connected: true, stoodBy: true }));
    expect(told).not.toContain(false);
    kept.send({ type: 'goaway', reason: 'the cluster is lost' });
    for (let tried = 0; tried < 3; tried++) (await peer.next()).fail('UNAVAILABLE', 'nothing new');
    const later = await peer.next();
    await kept.next('report');
    await vi.waitFor(() => expect(told.at(-1)).toBe(false));
    expect([link.state.connected, link.state.stoodBy, kept.isClosed]).toEqual([true, false, false]);
    later.send({ type: 'welcome', ...identity, heartbeat: 1000, report: 1000 });
    await vi.waitFor(() => expect(kept.isClosed).toBe(true));
    expect(link.state).toMatchObject({ connected: true, stoodBy: true, reconnects: 1 });
    expect(told.at(-1)).toBe(true);
  });

  it('may end before another stream is open', async () => {
    const peer = await controller();
    const { link } = scene([peer]);
    link.start();
    const first = await peer.next();
    await vi.waitFor(() => expect(link.state.connected).toBe(true));
    first.send({ type: 'goaway', reason: 'old age' });
    first.end();
    await peer.next();
    await vi.waitFor(() => expect(link.state.connected).toBe(true));
  });
});

describe('a plane that stops', () => {
  it('closes its stream and opens no other', async () => {
    const peer = await controller();
    const { link } = scene([peer]);
    link.start();
    const stream = await peer.next();
    await stream.next('hello');
    link.close();
    await vi.waitFor(() => expect(stream.isClosed).toBe(true));
    expect(link.state.connected).toBe(false);
    expect(peer.streams).toHaveLength(1);
  });
});

describe('the credentials of a data plane', () => {
  it('may be a certificate', async () => {
    const peer = await controller({ asksForCertificates: true });
    const { link, write, files } = scene([peer], {});
    const own = peer.authority.issue({ commonName: 'edge-1', client: true });
    write('cert', own.chain);
    write('key', own.key);
    const directory = files.ca!.slice(0, -2);
    link.close();
    const certified = new ControllerLink({
      addresses: new ControllerAddresses([{ host: '127.0.0.1', port: peer.port }]),
      files: { ca: files.ca, token: undefined, certificate: join(directory, 'cert'), key: join(directory, 'key') },
      log: pino({ enabled: false }),
      plane: { hello: () => hello, apply: async () => taken, recall: () => [], report: () => report },
    });
    onTestFinished(() => certified.close());
    certified.start();
    const stream = await peer.next();
    expect(stream.metadata.get('authorization')).toEqual([]);
    expect(await stream.next('hello')).toMatchObject({ name: 'edge-1' });
  });
});
