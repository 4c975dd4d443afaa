import { describe, expect, it } from 'vitest';
import { AuditState } from '../../../../dataplane/audit/link/audit-state.ts';
import { UnitAuditLink } from '../../../../dataplane/audit/link/unit-audit-link.ts';
import type { AuditOrder } from '../../../../dataplane/audit/writer/audit-orders.ts';
import { RingConsumer } from '../../../../dataplane/audit/writer/ring-consumer.ts';
import { handlerSettings } from '../../../support/audit/audit-unit.ts';

const EVENT = JSON.stringify('e'.repeat(10_000));
/** More events than a ring holds. */
const MANY = 1000;

/** A unit with one service whose handler refuses traffic and one whose handler drops, and no writer. */
function unit() {
  const orders: Extract<AuditOrder, { kind: 'audit-open' }>[] = [];
  const link = new UnitAuditLink((order) => {
    if (order.kind === 'audit-open') orders.push(order);
  });
  const [refusing, dropping] = [true, false].map((mayRefuse) => link.open(['access'], mayRefuse)) as [
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
