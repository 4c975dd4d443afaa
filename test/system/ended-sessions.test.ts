import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { EndedRecord } from '../../contract/channel.ts';
import { ControllerAddresses } from '../../dataplane/link/controller-addresses.ts';
import { ControllerLink } from '../../dataplane/link/controller-link.ts';
import { PlaneFollower } from '../../dataplane/link/plane-follower.ts';
import { SlotMemory } from '../../dataplane/metrics/route-slots.ts';
import { PlaneNotices } from '../../dataplane/supervisor/plane-notices.ts';
import type { UnitOrder } from '../../dataplane/unit/unit-messages.ts';
import { NotingPlane } from '../support/channel/noting-plane.ts';
import { CHANNEL_TOKEN, ServedChannel } from '../support/channel/served-channel.ts';
import { InstanceFolder } from '../support/gateways/instance-folder.ts';
import { certificateAuthority } from '../support/identity/certificates.ts';

const authority = certificateAuthority('controllers');
const certified = authority.issue({ names: ['127.0.0.1', 'localhost'] });
const patience = { timeout: 120_000, interval: 10 };

function ended(): EndedRecord {
  return { key: randomBytes(12).toString('base64url'), at: Date.now() };
}

async function controller(port = 0): Promise<ServedChannel> {
  const tls = { certificate: certified.chain, key: certified.key, clientAuthorities: null };
  const channel = await new ServedChannel({ server: { host: '127.0.0.1', port, tls } }).start();
  onTestFinished(() => channel.close());
  return channel;
}

/** A plane with the real link, whose one unit is only noted. */
function plane(name: string, folder: InstanceFolder, ...ports: readonly number[]) {
  const told: UnitOrder[] = [];
  const unit = { slots: new SlotMemory(), tell: (order: UnitOrder): void => void told.push(order) };
  const notices = new PlaneNotices(() => [unit]);
  const log = pino({ enabled: false });
  const follower = new PlaneFollower({
    plane: Object.assign(new NotingPlane(), { notices }),
    begin: () => [],
    file: null,
    about: { version: '1', catalogue: 'c', units: 1, name, labels: {} },
    log,
  });
  const link = new ControllerLink({
    addresses: new ControllerAddresses(ports.map((port) => ({ host: '127.0.0.1', port }))),
    files: { ca: folder.at('ca'), token: folder.at('token'), certificate: undefined, key: undefined },
    plane: follower,
    log,
    retry: { first: 1, longest: 20 },
  });
  onTestFinished(() => link.close());
  link.start();
  const end = (entries: readonly EndedRecord[]): void => notices.heard(unit, { kind: 'ended', entries });
  return { notices, end, told, link };
}

it('sessions that end at one data plane end at the others, also after controllers and data planes restarted', async () => {
  using folder = new InstanceFolder({ ca: authority.certificate, token: CHANNEL_TOKEN });
  const first = await controller();
  const one = plane('one', folder, first.port);
  const two = plane('two', folder, first.port);
  await first.until(() => first.facts('one') !== undefined && first.facts('two') !== undefined);
  const [a, b] = [ended(), ended()];
  one.end([a]);
  await vi.waitFor(() => expect(two.told).toEqual([{ kind: 'ended', entries: [a] }]), patience);
  expect(one.told).toEqual([]);

  await first.close();
  two.end([b]); // while no controller is there
  const next = await controller(first.port);
  await vi.waitFor(() => expect(one.told).toEqual([{ kind: 'ended', entries: [b] }]), patience);
  const three = plane('three', folder, next.port);
  await vi.waitFor(() => expect(three.notices.all()).toEqual(expect.arrayContaining([a, b])), patience);
  expect(three.notices.all()).toHaveLength(2);
});
