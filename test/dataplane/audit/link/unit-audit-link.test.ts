import { describe, expect, it } from 'vitest';
import { AuditState } from '../../../../dataplane/audit/link/audit-state.ts';
import { UnitAuditLink } from '../../../../dataplane/audit/link/unit-audit-link.ts';
import type { AuditOrder } from '../../../../dataplane/audit/writer/audit-orders.ts';
import { RingConsumer } from '../../../../dataplane/audit/writer/ring-consumer.ts';
import { handlerSettings } from '../../../support/audit/audit-unit.ts';

const EVENT = JSON.stringify('e'.repeat(10_000));
/** More events than a ring holds. */
const MANY = 3000;

/** A unit with one service whose handler refuses traffic and one whose handler drops, and no writer. */
function unit() {
  const orders: Extract<AuditOrder, { kind: 'audit-open' }>[] = [];
  const link = new UnitAuditLink((order) => {
    if (order.kind === 'audit-open') orders.push(order);
  });
  const [refusing, dropping] = [true, false].map((mayRefuse) => link.open(['access'], mayRefuse, '')) as [
    ReturnType<UnitAuditLink['open']>,
    ReturnType<UnitAuditLink['open']>,
  ];
  const change = (): void => {
    for (const [at, service] of [refusing, dropping].entries()) {
      const handlers = [handlerSettings({})];
      service.change({ identity: `${at}`, name: 's', realm: '', topics: ['access'], handlers, queryHandler: null });
    }
  };
  return {
    refusing,
    dropping,
    change,
    unwritten: (at: number) => new AuditState(1, orders[at]!.state).take(0),
    ring: () => new RingConsumer(orders[0]!.ring),
  };
}

describe('the audit services of a unit', () => {
  it('refuse requests before the ring is full, and drop no event of a request that was accepted', () => {
    const { refusing, dropping, change, unwritten, ring } = unit();
    change();
    let accepted = 0;
    while (!refusing.refusesTraffic && accepted < MANY) {
      refusing.write('access', EVENT);
      accepted++;
    }
    for (let n = 0; n < 20; n++) refusing.write('access', EVENT); // requests that were under way
    for (let n = 0; n < MANY; n++) refusing.write('access', EVENT, true); // requests that were refused since

    expect(refusing.refusesTraffic).toBe(true);
    expect(dropping.refusesTraffic).toBe(false);
    expect(unwritten(0)).toEqual({ full: 0, tooLarge: 0, ofRefused: MANY });
    expect(ring().read(() => true, 10_000)).toBe(accepted + 20);
    expect(refusing.refusesTraffic).toBe(false);
  });

  it('leave the last of the ring to the service that refuses traffic', () => {
    const { refusing, dropping, change, unwritten } = unit();
    change();
    for (let n = 0; n < MANY; n++) dropping.write('access', EVENT);
    for (let n = 0; n < 20; n++) refusing.write('access', EVENT);

    expect(unwritten(1).full).toBeGreaterThan(0);
    expect(unwritten(0)).toEqual({ full: 0, tooLarge: 0, ofRefused: 0 });
  });

  it('refuse requests when events pile up before the secrets of a handler are known', () => {
    const { refusing, change } = unit();
    for (let n = 0; n < 350; n++) refusing.write('access', EVENT);
    expect(refusing.refusesTraffic).toBe(true);
    expect(change).not.toThrow();
  });

  it('count the events of a service that is closed before its secrets are known', () => {
    const { dropping } = unit();
    for (let n = 0; n < MANY; n++) dropping.write('access', EVENT);
    expect(dropping.close()).toBe(MANY);
  });
});

describe('a service that floods the ring of its unit', () => {
  const settings = (identity: string) => {
    const handlers = [handlerSettings({})];
    return { identity, name: identity, realm: '', topics: ['access'], handlers, queryHandler: null };
  };

  it.each([
    ['drops', 'another tenant', false, 'flood', 'quiet'],
    ['drops', 'the same tenant', false, 'shop', 'shop'],
    ['refuses', 'another tenant', true, 'flood', 'quiet'],
    ['refuses', 'the same tenant', true, 'shop', 'shop'],
  ])('%s its own requests or events only, and not those of %s', (_how, _whose, mayRefuse, flooding, other) => {
    const states: SharedArrayBuffer[] = [];
    let ring: SharedArrayBuffer | null = null;
    const link = new UnitAuditLink((order) => {
      if (order.kind !== 'audit-open') return;
      states.push(order.state);
      ring = order.ring;
    });
    const flood = link.open(['access'], mayRefuse, flooding);
    flood.change(settings('flood'));
    const quiet = link.open(['access'], true, other);
    quiet.change(settings('quiet'));
    const lost = (at: number): number => new AuditState(1, states[at]!).take(0).full;

    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < MANY; n++) flood.write('access', EVENT);
      expect(flood.refusesTraffic).toBe(mayRefuse);
      expect(lost(0)).toBeGreaterThan(0);
      expect(quiet.refusesTraffic).toBe(false);
      for (let n = 0; n < 10; n++) quiet.write('access', EVENT);
      expect(quiet.refusesTraffic).toBe(false);
      expect(lost(1)).toBe(0);
      let own = 0;
      new RingConsumer(ring!).read((service) => {
        if (service === 2) own++;
        return true;
      }, 10_000);
      expect(own).toBe(10);
      expect(flood.refusesTraffic).toBe(false);
    }
  });

  it('leaves room for each of many tenants while the writer is away', () => {
    const states: SharedArrayBuffer[] = [];
    const link = new UnitAuditLink((order) => void (order.kind === 'audit-open' && states.push(order.state)));
    const all = Array.from({ length: 30 }, (_, at) => link.open(['access'], true, `tenant-${at}`));
    for (const [at, service] of all.entries()) service.change(settings(`${at}`));
    for (let n = 0; n < MANY; n++) all[0]!.write('access', EVENT);
    for (let n = 0; n < 3; n++) for (const service of all.slice(1)) service.write('access', EVENT);
    const lost = states.map((state) => new AuditState(1, state).take(0).full);
    expect(lost[0]).toBeGreaterThan(0);
    expect(lost.slice(1)).toEqual(all.slice(1).map(() => 0));
    expect(all.map(({ refusesTraffic }) => refusesTraffic)).toEqual(all.map((_, at) => at === 0));
  });

  it('has events wait for secrets in a room of its tenant, and leaves that of others', () => {
    const link = new UnitAuditLink(() => {});
    const flood = Array.from({ length: 5 }, () => link.open(['access'], true, 'flood'));
    const quiet = link.open(['access'], true, 'quiet');
    for (const service of flood) for (let n = 0; n < MANY; n++) service.write('access', EVENT);
    for (let n = 0; n < 10; n++) quiet.write('access', EVENT);
    expect(flood.map(({ refusesTraffic }) => refusesTraffic)).toEqual(flood.map(() => true));
    expect(quiet.refusesTraffic).toBe(false);
    expect(quiet.close()).toBe(10);
  });
});

it('numbers services in the order in which the writer gets to know them', () => {
  const orders: number[] = [];
  const link = new UnitAuditLink(({ service }) => void orders.push(service));
  const [late, early] = [link.open(['access'], false, ''), link.open(['access'], false, '')];
  for (const service of [early, late, early]) {
    service.change({ identity: 'i', name: 'i', realm: '', topics: ['access'], handlers: [], queryHandler: null });
  }
  expect(orders).toEqual([1, 2, 1]);
});
