import { afterEach, describe, expect, it } from 'vitest';
import { EventJournal, LEASE } from '../../../../dataplane/access-manager/notifications/event-journal.ts';
import type { JournalRecord } from '../../../../dataplane/access-manager/notifications/journal-record.ts';
import { UnitLives } from '../../../../dataplane/heap/unit-lives.ts';

/** Two units that share a journal, and a clock that stands still. */
function units() {
  const memory = new SharedArrayBuffer(EventJournal.bytes);
  const clock = { now: 1_000_000 };
  const lives = new UnitLives(new SharedArrayBuffer(UnitLives.memory.bytes));
  const open = (unit: number): EventJournal => new EventJournal(memory, unit, lives, () => clock.now);
  return { clock, lives, one: open(1), two: open(2), open };
}

function revoked(grantId: string): JournalRecord {
  return { kind: 'token', event: { grantId, tokenId: null, type: '' } };
}

it('gives every unit all records in order', () => {
  const { one, two } = units();
  one.lease(1);
  const start = two.cursor();
  one.regain(1);
  one.append(1, revoked('a'));
  one.append(1, revoked('b'));
  one.lose(1);
  const { records, cursor, isMissed } = two.read(start);
  expect(records).toEqual([{ kind: 'regained' }, revoked('a'), revoked('b'), { kind: 'lost' }]);
  expect(isMissed).toBe(false);
  expect(cursor.sequence).toBe(two.sequence);
  expect(two.read(cursor).records).toEqual([]);
});

it('tells a unit that fell behind by more than the ring that it missed records', () => {
  const { one, two } = units();
  one.lease(1);
  const start = two.cursor();
  for (let count = 0; count < 10_000; count++) one.append(1, revoked(`${'x'.repeat(200)}${count}`));
  expect(two.read(start)).toEqual({ cursor: two.cursor(), records: [], isMissed: true });
  const cursor = two.cursor();
  one.append(1, revoked('y'.repeat(10_000)));
  expect(two.read(cursor).records).toEqual([revoked('y'.repeat(10_000))]);
});

it('records an event that is too long as one that may concern everything', () => {
  const { one } = units();
  one.lease(1);
  const start = one.cursor();
  one.append(1, revoked('y'.repeat(20_000)));
  expect(one.read(start).records).toEqual([{ kind: 'unclear' }]);
});

describe('the lease of the connection', () => {
  it('is with one unit at a time', () => {
    const { one, two } = units();
    expect(one.lease(1)).toBe(true);
    expect(two.lease(2)).toBe(false);
    expect(two.append(2, revoked('a'))).toBe(false);
    expect(two.regain(2)).toBe(false);
    one.release(1);
    expect(two.lease(2)).toBe(true);
    expect(one.append(1, revoked('a'))).toBe(false);
  });

  it('goes to another unit when its owner hangs, and events are lost in between', () => {
    const { one, two, clock } = units();
    one.lease(1);
    one.regain(1);
    const start = two.cursor();
    expect(two.isHeard).toBe(true);
    clock.now += LEASE;
    expect(two.isHeard).toBe(false);
    expect(two.lease(2)).toBe(true);
    expect(two.read(start).records).toEqual([{ kind: 'lost' }]);
    expect(one.lease(1)).toBe(false);
    expect(one.regain(1)).toBe(false);
    expect(one.isHeard).toBe(false);
  });

  it('goes to another unit at once when its owner ended, also to the one in its place', () => {
    const { one, two, lives, open } = units();
    one.lease(1);
    one.regain(1);
    const start = two.cursor();
    lives.ended(1);
    expect(two.isHeard).toBe(false);
    expect(two.lease(2)).toBe(true);
    expect(two.read(start).records).toEqual([{ kind: 'lost' }]);
    two.regain(2);
    expect(two.isHeard).toBe(true);
    lives.ended(1); // one that was no owner
    expect(two.isHeard).toBe(true);
    lives.ended(2);
    const next = open(2);
    expect(next.lease(3)).toBe(true);
    next.regain(3);
    expect(one.isHeard).toBe(true);
  });

  it('that is given back tells all units that events are lost', () => {
    const { one, two } = units();
    one.lease(1);
    one.regain(1);
    const start = two.cursor();
    one.release(1);
    expect(two.isHeard).toBe(false);
    expect(two.read(start).records).toEqual([{ kind: 'lost' }]);
  });
});

describe('a unit that started after the clock of the machine was set', () => {
  const { timeOrigin } = performance;
  afterEach(() => Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin, configurable: true }));

  it.each([3_600_000, -3_600_000])('by %s ms sees the lease as all others do', (shift) => {
    const memory = new SharedArrayBuffer(EventJournal.bytes);
    const lives = new UnitLives(new SharedArrayBuffer(UnitLives.memory.bytes));
    const one = new EventJournal(memory, 1, lives);
    one.lease(1);
    one.regain(1);
    Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin + shift, configurable: true });
    const two = new EventJournal(memory, 2, lives);
    expect(two.isHeard).toBe(true);
    expect(two.lease(2)).toBe(false);
    two.release(1);
    two.lease(2);
    two.regain(2);
    Object.defineProperty(performance, 'timeOrigin', { value: timeOrigin, configurable: true });
    expect(one.isHeard).toBe(true);
    expect(one.lease(1)).toBe(false);
  });
});

describe('confirmations', () => {
  it('tell the last unit how long it took until all had applied an event', () => {
    const { one, two, clock } = units();
    const first = one.join();
    const second = two.join();
    one.lease(1);
    one.append(1, revoked('a'));
    clock.now += 3;
    one.append(1, revoked('b'));
    expect(one.confirm(first, one.cursor())).toBeNull();
    clock.now += 4;
    expect(two.confirm(second, two.cursor())).toBe(7);
    expect(two.confirm(second, two.cursor())).toBeNull();
  });

  it('do not wait for units that are gone', () => {
    const { one, two, clock } = units();
    const first = one.join();
    two.join();
    one.lease(1);
    clock.now += LEASE;
    one.renew(first);
    one.append(1, revoked('a'));
    expect(one.confirm(first, one.cursor())).toBe(0);
    const third = two.join();
    one.append(1, revoked('b'));
    expect(one.confirm(first, one.cursor())).toBeNull();
    two.leave(third);
    expect(one.confirm(first, one.cursor())).toBe(0);
  });
});
