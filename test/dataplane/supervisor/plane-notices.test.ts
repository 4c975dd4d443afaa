import { expect, it } from 'vitest';
import type { RefreshNews } from '../../../contract/channel.ts';
import { SlotMemory } from '../../../dataplane/metrics/route-slots.ts';
import { PlaneNotices } from '../../../dataplane/supervisor/plane-notices.ts';
import type { UnitOrder } from '../../../dataplane/unit/unit-messages.ts';

function noted() {
  const orders: UnitOrder[] = [];
  return { orders, slots: new SlotMemory(), tell: (order: UnitOrder): void => void orders.push(order) };
}

function news(realm: string, sealed?: string): RefreshNews {
  const stage = sealed === undefined ? 'claimed' : 'renewed';
  return { type: 'refresh', realm, key: 'k'.repeat(43), stage, ...(sealed !== undefined && { sealed }) };
}

it('tells a unit whether its refresh went to other planes', () => {
  const units = [noted(), noted()];
  const notices = new PlaneNotices(() => units);
  const passed: RefreshNews[] = [];
  let isThere = true;
  notices.heard(units[1]!, { kind: 'refresh', number: 1, news: news('a') });
  notices.announceTo({ ended: () => {}, refresh: (one) => isThere && passed.push(one) > 0 });
  notices.heard(units[1]!, { kind: 'refresh', number: 2, news: news('a') });
  isThere = false;
  notices.heard(units[1]!, { kind: 'refresh', number: 3, news: news('a') });
  expect(units[1]!.orders).toEqual([
    { kind: 'told', number: 1, isTold: false },
    { kind: 'told', number: 2, isTold: true },
    { kind: 'told', number: 3, isTold: false },
  ]);
  expect(passed).toEqual([news('a')]);
});

it('hands a refresh of another plane to one unit, because all units share its table', () => {
  const units = [noted(), noted()];
  new PlaneNotices(() => units).refresh(news('a'));
  expect(units.map(({ orders }) => orders)).toEqual([[{ kind: 'refresh', news: news('a') }], []]);
});

it('keeps one tenant from using up what others may tell', () => {
  const unit = noted();
  const notices = new PlaneNotices(() => [unit]);
  notices.announceTo({ ended: () => {}, refresh: () => true });
  const isTold = (realm: string, sealed?: string): boolean => {
    notices.heard(unit, { kind: 'refresh', number: 0, news: news(realm, sealed) });
    return (unit.orders.at(-1) as Extract<UnitOrder, { kind: 'told' }>).isTold;
  };
  const large = 'x'.repeat(60_000);
  expect(Array.from({ length: 20 }, () => isTold('greedy', large)).filter(Boolean).length).toBeLessThan(10);
  expect(isTold('modest', large)).toBe(true);
});
