import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { routeKeyText } from '../../contract/snapshot.ts';
import { ControllerAddresses } from '../../dataplane/link/controller-addresses.ts';
import { ControllerLink } from '../../dataplane/link/controller-link.ts';
import { PlaneFollower } from '../../dataplane/link/plane-follower.ts';
import { NotingPlane } from '../support/channel/noting-plane.ts';
import { publishedRoute, publishedState } from '../support/channel/published-routes.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../support/channel/served-channel.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';

const authority = certificateAuthority('controllers');
const certified = authority.issue({ names: ['127.0.0.1', 'localhost'] });
let channel: ServedChannel;
let folder: InstanceFolder;

beforeEach(async () => {
  folder = new InstanceFolder({ ca: authority.certificate, token: CHANNEL_TOKEN });
  const tls = { certificate: certified.chain, key: certified.key, clientAuthorities: null };
  channel = await new ServedChannel({
    server: { host: '127.0.0.1', tls },
    sessions: { settings: { heartbeat: 100, report: 50 } },
  }).start();
});
afterEach(async () => {
  await channel.close();
  folder[Symbol.dispose]();
});

/** A plane with the real link, whose units are only noted. */
function plane(): { units: NotingPlane; follower: PlaneFollower; link: ControllerLink } {
  const units = new NotingPlane();
  const log = pino({ enabled: false });
  const follower = new PlaneFollower({
    plane: units,
    begin: () => ({
      connectors: [],
      serving: { kind: 'backend', destination: { host: 'x', port: 1 }, basePath: '', connections: 1 },
      units: 1,
    }),
    file: null,
    about: { version: '1', catalogue: 'c', units: 1, name: 'edge-1', labels: { site: 'berlin' } },
    log,
  });
  const link = new ControllerLink({
    addresses: new ControllerAddresses([{ host: '127.0.0.1', port: channel.port }]),
    files: { ca: folder.at('ca'), token: folder.at('token'), certificate: undefined, key: undefined },
    plane: follower,
    log,
    retry: { first: 1, longest: 20 },
  });
  onTestFinished(() => link.close());
  link.start();
  return { units, follower, link };
}

const running = (): Record<string, string> =>
  Object.fromEntries([...(channel.facts()?.running ?? [])].map(([key, hash]) => [key, hash]));

describe('a controller and a plane', () => {
  it('agree on the running state, change by change', async () => {
    const a = publishedRoute('a');
    const b = publishedRoute('b');
    channel.sessions.publish(publishedState([a, b]));
    const { units, follower } = plane();
    await vi.waitFor(() => expect(running()).toEqual({ [routeKeyText(a)]: a.hash, [routeKeyText(b)]: b.hash }));
    expect(channel.facts()?.identity).toMatchObject({ labels: { site: 'berlin', zone: 'a' } });

    const a2 = publishedRoute('a', 'two', { sources: [{ uid: 'uid-a', resourceVersion: '11' }] });
    const state = publishedState([a2]);
    channel.sessions.publish(state);
    await vi.waitFor(() => expect(running()).toEqual({ [routeKeyText(a)]: a2.hash }));
    expect(units.applied).toMatchObject([{ base: null, set: [{ id: 'shop.a' }], remove: [{ id: 'shop.b' }] }]);
    expect(follower.revision).toBe(state.snapshot.revision);
    await vi.waitFor(() =>
      expect(channel.facts()?.lastReport?.report).toMatchObject({ revision: state.snapshot.revision, ready: true }),
    );
  });

  it('agree on failed routes, also after the stream was lost', async () => {
    const a = publishedRoute('a');
    channel.sessions.publish(publishedState([a]));
    const { units, link } = plane();
    const problem = { code: 'build', severity: 'error', path: [], message: 'no' } as const;
    const route = { router: a.router, id: a.id };
    units.problems = [{ route, problems: [problem], keepsServing: false }];
    await vi.waitFor(() => expect([...(channel.facts()?.problems.keys() ?? [])]).toEqual([routeKeyText(a)]));
    expect(running()).toEqual({});
    channel.sessions.end(channel.facts()!.identity.id, 'a test');
    await vi.waitFor(() => expect(link.state.reconnects).toBe(1));
    await vi.waitFor(() => expect([...(channel.facts()?.problems.keys() ?? [])]).toEqual([routeKeyText(a)]));
    units.problems = [];
    channel.sessions.publish(publishedState([publishedRoute('a', 'two', { generation: 2 })]));
    await vi.waitFor(() => expect(Object.keys(running())).toEqual([routeKeyText(a)]));
  });

  it('need nothing but an empty update where nothing changed while they were apart', async () => {
    channel.sessions.publish(publishedState([publishedRoute('a')]));
    const { units, link } = plane();
    await vi.waitFor(() => expect(Object.keys(running())).toHaveLength(1));
    channel.sessions.end(channel.facts()!.identity.id, 'a test');
    await vi.waitFor(() => expect(link.state.reconnects).toBe(1));
    await vi.waitFor(() => expect(Object.keys(running())).toHaveLength(1));
    expect([units.begun, units.applied]).toEqual([1, []]);
  });

  it('recover a route that the controller knows only by its hash', async () => {
    const a = publishedRoute('a');
    channel.sessions.publish(publishedState([a]));
    plane();
    await vi.waitFor(() => expect(running()).toEqual({ [routeKeyText(a)]: a.hash }));
    expect(await channel.sessions.recall({ router: a.router, id: a.id }, a.hash)).toEqual(a);
  });
});
