import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { UpdateMessage } from '../../../contract/channel.ts';
import { decodeControllerMessage } from '../../../contract/channel-codec.ts';
import type { PlaneIdentity } from '../../../controller/publish/channel/plane-identity.ts';
import { groupSessionKeys } from '../../../controller/publish/group-session-keys.ts';
import type { PublishedState } from '../../../controller/publish/published-state.ts';
import type { PlaneView, PreparedUpdate } from '../../../controller/publish/sessions/plane-view.ts';
import { PlaneViews } from '../../../controller/publish/sessions/plane-views.ts';
import { publishedRoute, publishedState } from '../../support/channel/published-routes.ts';

const secret = (): string => randomBytes(32).toString('base64url');
const source = { uid: 'secret', resourceVersion: '7' };
const nothing = { running: new Map<string, string>(), baseHash: null, resources: new Map<string, string>() };
const route = publishedRoute('plain');

function plane(more: Partial<PlaneIdentity> = {}): PlaneIdentity {
  const known = { id: 'p', name: 'p', group: 'edge', namespace: 'shop', labels: {}, isSidecar: false, until: null };
  return { ...known, ...more };
}

function state(secrets: readonly string[] | null): PublishedState {
  const published = publishedState([route], { defaultGroup: 'edge' });
  return secrets === null ? published : { ...published, sessionKeys: groupSessionKeys(secrets, source) };
}

function published(secrets: readonly string[] | null): PlaneViews {
  const views = new PlaneViews();
  views.publish(state(secrets));
  return views;
}

function message(update: PreparedUpdate | null): UpdateMessage {
  return decodeControllerMessage(update!.parts.message(0, 1)) as UpdateMessage;
}

/** The keys that a data plane gets that holds nothing. */
function keysOf(views: PlaneViews, identity: PlaneIdentity): readonly string[] {
  const all = message(views.join(identity)!.from(nothing)).resources?.set ?? [];
  return all.flatMap((one) => (one.type === 'session-keys' ? one.keys : []));
}

it('gives data planes of one group the same keys, whatever their labels and namespaces', () => {
  const views = published([secret(), secret()]);
  const keys = keysOf(views, plane());
  expect(keys).toHaveLength(2);
  expect(keysOf(views, plane({ labels: { zone: 'b' }, namespace: 'other' }))).toEqual(keys);
  expect(keysOf(published([secret()]), plane())).not.toEqual(keys.slice(0, 1));
});

it('gives no key of a group to another group, nor to sidecars, nor to sidecars of another namespace', () => {
  const secrets = [secret(), secret(), secret()];
  const views = published(secrets);
  const all = [
    plane(),
    plane({ group: 'inside' }),
    plane({ isSidecar: true }),
    plane({ isSidecar: true, namespace: 'bank' }),
    plane({ isSidecar: true, namespace: 'shop', group: 'inside' }),
    plane({ group: 'edge","shop' }),
  ].flatMap((identity) => keysOf(views, identity));
  expect(new Set([...all, ...secrets]).size).toBe(all.length + secrets.length);
});

it('sends a rotation as one resource and no route', () => {
  const secrets = [secret()];
  const views = published(secrets);
  const view: PlaneView = views.join(plane())!;
  const { version } = view;
  const next = secret();
  views.publish(state([...secrets, next]));
  const update = message(view.since(version, nothing));
  expect(update).toMatchObject({ base: null, set: [], remove: [], resources: { remove: [] } });
  expect(update.resources?.set).toMatchObject([{ type: 'session-keys', sources: [source] }]);
  expect(JSON.stringify(update).length).toBeLessThan(1000);
});

it('sends nothing when the same keys are published again', () => {
  const secrets = [secret()];
  const views = published(secrets);
  const view = views.join(plane())!;
  const { version } = view;
  views.publish(state(secrets));
  expect(view.version).toBe(version);
});

it('leaves data planes the keys that they have while the controller has none', () => {
  const views = published(null);
  const view = views.join(plane())!;
  const resources = new Map([
    ['session-keys', 'hash'],
    ['forbidden/gone', 'hash'],
  ]);
  const known = { running: new Map([...view.entries].map(([key, one]) => [key, one.route!.hash])), resources };
  const { baseHash } = view.from(nothing);
  expect(message(view.from({ ...known, baseHash })).resources?.remove).toEqual(['forbidden/gone']);
});

it('replaces the keys of a data plane that came from another group', () => {
  const views = published([secret()]);
  const [other] = keysOf(views, plane({ group: 'inside' }));
  const view = views.join(plane())!;
  const known = { running: new Map<string, string>(), baseHash: 'b', resources: new Map([['session-keys', other!]]) };
  expect(message(view.from(known)).resources?.set).toMatchObject([{ type: 'session-keys' }]);
});
