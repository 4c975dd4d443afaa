import { describe, expect, it } from 'vitest';
import type { UpdateMessage } from '../../../../contract/channel.ts';
import { routeKeyText } from '../../../../contract/snapshot.ts';
import type { PlaneSelector } from '../../../../controller/compile/resources/resource-verdict.ts';
import type { CompiledRoute } from '../../../../controller/compile/snapshot.ts';
import { type GroupGrants, groupGrants } from '../../../../controller/publish/channel/group-grants.ts';
import type { PlaneIdentity } from '../../../../controller/publish/channel/plane-identity.ts';
import { isSelected } from '../../../../controller/publish/sessions/plane-selection.ts';
import type { PlaneView, PreparedUpdate } from '../../../../controller/publish/sessions/plane-view.ts';
import { PlaneViews } from '../../../../controller/publish/sessions/plane-views.ts';
import { forbidding } from '../../../support/channel/forbidden-resource.ts';
import { hostCertificate } from '../../../support/channel/host-certificate-resource.ts';
import { publishedRoute, publishedState } from '../../../support/channel/published-routes.ts';
import { sharedStore } from '../../../support/channel/shared-store.ts';
import { updateText } from '../../../support/channel/update-text.ts';
import { certificateAuthority } from '../../../support/identity/certificates.ts';

function identity(more: Partial<PlaneIdentity> = {}): PlaneIdentity {
  return {
    id: 'p',
    name: 'p',
    group: 'default',
    namespace: 'shop',
    labels: {},
    isSidecar: false,
    until: null,
    ...more,
  };
}

function selector(matchLabels: Record<string, string>, expressions: PlaneSelector['matchExpressions'] = []) {
  return { matchLabels, matchExpressions: expressions };
}

const nothing = { running: new Map<string, string>(), baseHash: null, resources: new Map<string, string>() };

function joined(views: PlaneViews, plane: PlaneIdentity): PlaneView {
  const view = views.join(plane);
  if (view === null) throw new Error('nothing was published');
  return view;
}

function routesOf(view: PlaneView): string[] {
  return [...view.entries.values()].map(({ route, remembered }) => (route ?? remembered)?.id ?? '').sort();
}

describe('which planes a route selects', () => {
  const blue = { color: 'blue' };
  const sidecar = { isSidecar: true, labels: { app: 'cart' } };
  it.each<[string, Partial<PlaneIdentity>, PlaneSelector | null, boolean]>([
    ['no selector, default group', {}, null, true],
    ['no selector, another group', { group: 'edge' }, null, false],
    ['no selector, a sidecar', { isSidecar: true }, null, false],
    ['a label that it has', { labels: blue }, selector(blue), true],
    ['a label that it has, of another group', { group: 'edge', labels: blue }, selector(blue), true],
    ['a label with another value', { labels: { color: 'red' } }, selector(blue), false],
    ['a label that it has not', {}, selector(blue), false],
    ['two labels, one of which it has', { labels: blue }, selector({ ...blue, size: 'xl' }), false],
    ['its group', { group: 'edge' }, selector({ 'gatewarden.io/group': 'edge' }), true],
    ['another group', {}, selector({ 'gatewarden.io/group': 'edge' }), false],
    [
      'the group that it claims',
      { labels: { 'gatewarden.io/group': 'edge' } },
      selector({ 'gatewarden.io/group': 'edge' }),
      false,
    ],
    ['everything', { group: 'edge' }, selector({}), true],
    ['everything, a sidecar', sidecar, selector({}), false],
    ['a sidecar by its label', sidecar, selector({ app: 'cart' }), true],
    ['a sidecar of another namespace', { ...sidecar, namespace: 'bank' }, selector({ app: 'cart' }), false],
    ['a sidecar of no namespace', { ...sidecar, namespace: null }, selector({ app: 'cart' }), false],
    ['a property of all objects', {}, selector({}, [{ key: 'constructor', operator: 'Exists', values: [] }]), false],
  ])('is decided with %s', (_, plane, dataPlanes, expected) => {
    expect(isSelected(identity(plane), { namespace: 'shop', dataPlanes }, 'default')).toBe(expected);
  });

  it.each<[PlaneSelector['matchExpressions'][number]['operator'], string[], Record<string, string>, boolean]>([
    ['In', ['a', 'b'], { zone: 'b' }, true],
    ['In', ['a'], { zone: 'b' }, false],
    ['In', ['a'], {}, false],
    ['NotIn', ['a'], { zone: 'b' }, true],
    ['NotIn', ['b'], { zone: 'b' }, false],
    ['NotIn', ['a'], {}, true],
    ['Exists', [], { zone: '' }, true],
    ['Exists', [], {}, false],
    ['DoesNotExist', [], {}, true],
    ['DoesNotExist', [], { zone: 'a' }, false],
  ])('zone %s %j of %j: %s', (operator, values, labels, expected) => {
    const dataPlanes = selector({}, [{ key: 'zone', operator, values }]);
    expect(isSelected(identity({ labels }), { namespace: 'shop', dataPlanes }, 'default')).toBe(expected);
  });
});

describe('views', () => {
  const secret = publishedRoute('secret', 'one', { files: { 'shop/keys/k': 'c2VjcmV0' } });
  const plain = publishedRoute('plain');
  const selectors = new Map([['secret', selector({ vault: 'yes' })]]);

  it('contain only the routes and files that select a data plane', () => {
    const views = new PlaneViews();
    views.publish(publishedState([secret, plain], { selectors }));
    expect(routesOf(joined(views, identity()))).toEqual(['shop.plain']);
    expect(routesOf(joined(views, identity({ labels: { vault: 'yes' } })))).toEqual(['shop.plain', 'shop.secret']);
    expect(routesOf(joined(views, identity({ group: 'edge' })))).toEqual([]);
    expect(updateText(joined(views, identity()).from(nothing))).not.toContain('c2VjcmV0');
  });

  it('contain only the certificates that a route of theirs names', () => {
    const certified = certificateAuthority('views').issue({ names: ['shop.test'] });
    const resource = hostCertificate({ tenant: 'default', secret: 'shop/web' }, ['shop.test'], certified);
    const views = new PlaneViews();
    const publish = (users: string[]): void =>
      views.publish(
        publishedState([secret, plain], {
          selectors,
          resources: [resource],
          certificateUsers: new Map([[resource.key, new Set(users)]]),
        }),
      );
    publish([routeKeyText(secret)]);
    const [other, own] = [joined(views, identity()), joined(views, identity({ labels: { vault: 'yes' } }))];
    const has = (view: PlaneView): boolean => updateText(view.from(nothing)).includes('PRIVATE KEY');
    expect([has(other), has(own)]).toEqual([false, true]);
    const versions = [other.version, own.version];
    // the certificate is of another route now: nothing about routes changed
    publish([routeKeyText(plain)]);
    expect([has(other), has(own)]).toEqual([true, true]);
    publish([]);
    expect([has(other), has(own)]).toEqual([false, false]);
    expect([other.version, own.version]).toEqual([versions[0]! + 2, versions[1]! + 1]);
    expect([...own.since(versions[1]!, nothing)!.resources]).toEqual([[resource.key, null]]);
  });

  it('are shared by data planes that no selector distinguishes, with their encoded updates', () => {
    const views = new PlaneViews();
    views.publish(publishedState([secret, plain], { selectors }));
    const one = joined(views, identity({ labels: { index: '1' } }));
    const two = joined(views, identity({ labels: { index: '2' } }));
    expect(two).toBe(one);
    expect(one.from(nothing)).toBe(two.from(nothing));
    expect(joined(views, identity({ labels: { vault: 'no' } }))).not.toBe(one);
    views.publish(publishedState([secret, publishedRoute('plain', 'two')], { selectors }));
    expect(one.since(1, nothing)).toBe(two.since(1, nothing));
    expect(updateText(one.from(nothing))).toContain('"handler":"two"');
  });

  it('stay shared when selectors use new labels that none of them has', () => {
    const views = new PlaneViews();
    const plane = identity({ labels: { index: '1' } });
    views.publish(publishedState([publishedRoute('plain')]));
    const view = joined(views, plane);
    for (let i = 0; i < 2_100; i++) {
      const selectors = new Map([['odd', selector({ [`label-${i}`]: 'yes' })]]);
      views.publish(publishedState([publishedRoute('odd', String(i)), publishedRoute('plain')], { selectors }));
      expect(views.isCurrent(plane, view)).toBe(true);
    }
    const selectors = new Map([['odd', selector({ index: '1' })]]);
    views.publish(publishedState([publishedRoute('odd'), publishedRoute('plain')], { selectors }));
    expect(routesOf(joined(views, plane))).toEqual(['shop.odd', 'shop.plain']);
    expect(routesOf(joined(views, identity({ labels: { index: '2' } })))).toEqual(['shop.plain']);
  });

  it('of other tenants stay when a tenant selects ever new labels of its own sidecar', () => {
    const views = new PlaneViews();
    const names = Array.from({ length: 2_100 }, (_, i) => `label-${i}`);
    const labels = Object.fromEntries(names.map((name) => [name, 'yes']));
    const own = identity({ isSidecar: true, namespace: 'shop', labels });
    const others = [
      identity({ isSidecar: true, namespace: 'bank', labels: { app: 'cash' } }),
      identity({ labels: { index: '1' } }),
    ];
    views.publish(publishedState([publishedRoute('plain')]));
    const held = others.map((plane) => joined(views, plane));
    for (const [i, name] of names.entries()) {
      const selectors = new Map([['odd', selector({ [name]: 'yes' })]]);
      views.publish(publishedState([publishedRoute('odd', String(i)), publishedRoute('plain')], { selectors }));
      expect(routesOf(joined(views, own))).toEqual(['shop.odd']);
      expect(others.map((plane, at) => views.isCurrent(plane, held[at]!))).toEqual([true, true]);
    }
  });

  it('are correct after unused labels were dropped', () => {
    const views = new PlaneViews();
    const plane = identity({ labels: { zone: 'a' } });
    const secret = selector({ zone: 'a' });
    for (let i = 0; i < 2_100; i++) {
      const selectors = new Map([
        ['odd', selector({ [`label-${i}`]: 'yes' })],
        ['secret', secret],
      ]);
      views.publish(publishedState([publishedRoute('odd', String(i)), publishedRoute('secret')], { selectors }));
      if (i % 100 > 0) continue;
      expect(routesOf(joined(views, plane))).toEqual(['shop.secret']);
      expect(routesOf(joined(views, identity({ labels: { zone: 'b' } })))).toEqual([]);
    }
  });

  it('are split again when a selector uses a new label', () => {
    const views = new PlaneViews();
    views.publish(publishedState([plain]));
    const plane = identity({ labels: { index: '1' } });
    const view = joined(views, plane);
    const index = new Map([['plain', selector({ index: '1' })]]);
    views.publish(publishedState([publishedRoute('plain', 'two')], { selectors: index }));
    expect(views.isCurrent(plane, view)).toBe(false);
    expect(routesOf(joined(views, plane))).toEqual(['shop.plain']);
    expect(routesOf(joined(views, identity({ labels: { index: '2' } })))).toEqual([]);
  });

  it('change only for planes that a change concerns', () => {
    const views = new PlaneViews();
    views.publish(publishedState([secret, plain], { selectors }));
    const [without, withSecret] = [identity(), identity({ labels: { vault: 'yes' } })].map((one) => joined(views, one));
    views.publish(publishedState([publishedRoute('secret', 'two'), plain], { selectors }));
    expect(without?.version).toBe(1);
    expect(withSecret?.version).toBe(2);
  });

  it('remove a route from data planes that it no longer selects, and add it to others', () => {
    const views = new PlaneViews();
    views.publish(publishedState([secret], { selectors }));
    const vault = joined(views, identity({ labels: { vault: 'yes' } }));
    const other = joined(views, identity({ labels: { vault: 'no' } }));
    const moved = new Map([['secret', selector({ vault: 'no' })]]);
    views.publish(publishedState([publishedRoute('secret', 'one', { generation: 2 })], { selectors: moved }));
    expect([routesOf(vault), routesOf(other)]).toEqual([[], ['shop.secret']]);
  });

  it('follow the default group', () => {
    const views = new PlaneViews();
    views.publish(publishedState([plain]));
    const plane = identity();
    expect(routesOf(joined(views, plane))).toEqual(['shop.plain']);
    views.publish(publishedState([plain], { defaultGroup: 'edge' }));
    expect(routesOf(joined(views, plane))).toEqual([]);
    expect(routesOf(joined(views, identity({ group: 'edge' })))).toEqual(['shop.plain']);
  });

  it('follow the tenants of a group', () => {
    const views = new PlaneViews();
    const tenants = [
      { name: 'shop', namespaces: ['shop'], hosts: ['shop.test'] },
      { name: 'rest', namespaces: ['*'], hosts: ['*'] },
    ];
    const only = (...names: string[]): GroupGrants =>
      groupGrants({ tenants, groups: [{ name: 'default', serviceAccounts: [], sidecars: false, tenants: names }] });
    const plane = identity();
    views.publish(publishedState([plain], { grants: only('rest') }));
    expect(routesOf(joined(views, plane))).toEqual([]);
    views.publish(publishedState([plain], { grants: only('rest', 'shop') }));
    expect(routesOf(joined(views, plane))).toEqual(['shop.plain']);
    const others = new PlaneViews();
    others.publish(publishedState([plain], { namespace: 'unknown', grants: only('shop') }));
    expect(routesOf(joined(others, plane))).toEqual([]);
  });

  it('send a new generation with unchanged content, because it orders versions', () => {
    const views = new PlaneViews();
    views.publish(publishedState([plain]));
    const view = joined(views, identity());
    const same = { ...plain, sources: [{ uid: 'uid-plain', resourceVersion: '11' }] };
    views.publish(publishedState([same]));
    expect(view.version).toBe(1);
    views.publish(publishedState([{ ...same, generation: 2 }]));
    expect(updateText(view.since(1, nothing))).toContain('"generation":2');
  });

  it('send a change of the base alone', () => {
    const views = new PlaneViews();
    views.publish(publishedState([plain]));
    const view = joined(views, identity());
    views.publish(publishedState([plain], { base: 'another' }));
    const update = view.since(1, nothing);
    expect(update?.changes.size).toBe(0);
    expect(updateText(update)).toContain('"handler":"another"');
  });

  it('drop data planes that left, and compare those that are too far behind', () => {
    const views = new PlaneViews();
    views.publish(publishedState([plain]));
    const view = joined(views, identity());
    for (let change = 0; change < 600; change++) views.publish(publishedState([publishedRoute('plain', `${change}`)]));
    expect(view.since(1, nothing)).toBeNull();
    expect(view.since(view.version - 100, nothing)?.changes.size).toBe(1);
    views.leave(identity(), view);
    expect(views.isCurrent(identity(), view)).toBe(false);
  });

  it('contain only the shared objects that their routes name', () => {
    const views = new PlaneViews();
    const nowhere = { running: new Map(), baseHash: 'other', resources: new Map() };
    const [one, two] = [sharedStore('shop/one', 'first'), sharedStore('shop/two', 'first')];
    const using = publishedRoute('a', 'one', { resources: { keys: one.key } });
    views.publish(publishedState([using], { resources: [one, two] }));
    const view = joined(views, identity());
    expect([...view.from(nowhere).resources]).toEqual([[one.key, one.hash]]);

    const rotated = sharedStore('shop/one', 'second');
    views.publish(publishedState([using], { resources: [rotated, two, sharedStore('shop/three', '')] }));
    const update = view.since(1, nowhere)!;
    expect([[...update.changes], [...update.resources]]).toEqual([[], [[one.key, rotated.hash]]]);

    views.publish(publishedState([]));
    expect([...view.since(2, nowhere)!.resources]).toEqual([[one.key, null]]);
  });

  it('follow any change like a complete recomputation', () => {
    const views = new PlaneViews();
    let routes: CompiledRoute[] = [];
    views.publish(publishedState(routes));
    const view = joined(views, identity());
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const running = new Map<string, string>();
    let version = 1;
    for (let round = 0; round < 300; round++) {
      const at = random(routes.length + 1);
      if (random(3) === 0) routes = routes.toSpliced(at, 1);
      else if (random(2) === 0) routes = routes.toSpliced(at, 0, publishedRoute(`n${round}`));
      else if (routes[at]) routes = routes.with(at, publishedRoute(routes[at].name, `${round}`));
      if (random(10) === 0) routes = routes.toReversed();
      views.publish(publishedState(routes));
      if (random(4) > 0) continue;
      const update = view.since(version, { running, baseHash: 'x', resources: new Map() });
      for (const [key, hash] of update?.changes ?? []) {
        if (hash === null) running.delete(key);
        else running.set(key, hash);
      }
      version = view.version;
      expect([...running.values()].sort()).toEqual(routes.map(({ hash }) => hash).sort());
    }
  });
});

describe('shared resources', () => {
  const [one, two] = [forbidding('one', '10.0.0.1'), forbidding('two', '10.0.0.2')];
  const route = publishedRoute('plain');
  const update = (prepared: PreparedUpdate | null) => {
    const message = JSON.parse(prepared!.parts.message(0, 1).toString()) as UpdateMessage;
    return { resources: message.resources, set: message.set.length };
  };

  it('are sent to empty data planes completely, and to others by hash', () => {
    const views = new PlaneViews();
    views.publish(publishedState([route], { resources: [one, two] }));
    const view = joined(views, identity());
    expect(update(view.from(nothing)).resources).toEqual({ set: [one, two], remove: [] });
    const { baseHash } = view.from(nothing);
    const running = new Map([...view.entries].map(([key, entry]) => [key, entry.route!.hash]));
    const resources = new Map([
      [one.key, one.hash],
      [two.key, 'other'],
      ['gone', 'x'],
    ]);
    expect(update(view.from({ running, baseHash, resources }))).toEqual({
      resources: { set: [two], remove: ['gone'] },
      set: 0,
    });
  });

  it('change independently of the routes, with their own revision', () => {
    const views = new PlaneViews();
    views.publish(publishedState([route], { resources: [one, two] }));
    const view = joined(views, identity());
    const { revision } = view;
    const other = forbidding('two', '10.0.0.3');
    views.publish(publishedState([route], { resources: [one, other] }));
    expect(view.revision).not.toBe(revision);
    expect(update(view.since(1, nothing))).toEqual({ resources: { set: [other], remove: [] }, set: 0 });
    views.publish(publishedState([route], { resources: [other] }));
    expect(update(view.since(1, nothing)).resources).toEqual({ set: [other], remove: [one.key] });
    views.publish(publishedState([publishedRoute('plain', 'two')], { resources: [other] }));
    expect(update(view.since(3, nothing))).toEqual({ resources: undefined, set: 1 });
  });
});
