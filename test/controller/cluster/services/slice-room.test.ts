import { describe, expect, it } from 'vitest';
import type { SliceObject } from '../../../../controller/cluster/services/service-objects.ts';
import { SliceRoom } from '../../../../controller/cluster/services/slice-room.ts';

function slice(name: string, count: number, more: Partial<SliceObject> = {}): SliceObject {
  const one = { address: '10.0.0.1', target: null, state: 'ready', zones: null } as const;
  const endpoints = Array.from({ length: count }, () => one);
  const ports = { http: 8080 };
  return { namespace: 'shop', name, service: name, hasHostNames: false, ports, endpoints, leftOut: 0, ...more };
}

/** Fills a room with slices of 1,000 endpoints, each of a Service of its own. */
function filled(room: SliceRoom, count: number, reader: object = room): readonly SliceObject[] {
  return Array.from({ length: count }, (_, at) => room.take(slice(`s${at}`, 1000), null, reader));
}

describe('room for the endpoints of a namespace', () => {
  it('has 50,000 places, and a slice that finds too few is kept without its endpoints', () => {
    const room = new SliceRoom();
    expect(filled(room, 50).every(({ endpoints, leftOut }) => endpoints.length === 1000 && leftOut === 0)).toBe(true);
    expect(room.take(slice('more', 1), null, room)).toEqual(slice('more', 0, { ports: {}, leftOut: 1 }));
    expect(room.take(slice('empty', 0), null, room)).toEqual(slice('empty', 0));
  });

  it('has 10,000 places for one Service', () => {
    const room = new SliceRoom();
    const own = Array.from({ length: 11 }, (_, at) => room.take(slice(`s${at}`, 1000, { service: 'a' }), null, room));
    expect(own.map(({ leftOut }) => leftOut)).toEqual([...Array.from({ length: 10 }, () => 0), 1000]);
    expect([room.fits('a', 1), room.fits('b', 10_000), room.fits('b', 10_001)]).toEqual([false, true, false]);
  });

  it.each([
    [{}, 1000],
    [{ http: 1 }, 1000],
    [{ http: 1, admin: 2, metrics: 3 }, 3000],
  ])('counts an endpoint with the ports %j once for each of them', (ports, places) => {
    const room = new SliceRoom();
    room.take(slice('a', 1000, { ports }), null, room);
    expect([room.fits('a', 10_000 - places), room.fits('a', 10_001 - places)]).toEqual([true, false]);
  });

  it('counts a slice once, as it was taken last, also with two readers', () => {
    const room = new SliceRoom();
    for (const reader of [room, {}]) {
      room.take(slice('a', 1000), null, reader);
      room.take(slice('a', 600), null, reader);
    }
    expect([room.fits('a', 9400), room.fits('a', 9401)]).toEqual([true, false]);
  });

  it('returns the object of before for a slice that still finds no place', () => {
    const room = new SliceRoom();
    filled(room, 50);
    const before = room.take(slice('more', 5), null, room);
    expect(room.take(slice('more', 5), before, room)).toBe(before);
    expect(room.take(slice('more', 6), before, room)).toMatchObject({ leftOut: 6 });
  });

  it('has the places of slices that have gone after a recount', () => {
    const room = new SliceRoom();
    const [first, ...others] = filled(room, 50);
    room.settle(room);
    const lacking = room.take(slice('more', 1000), null, room);
    room.recount([...others, lacking]);
    expect([room.isTight, room.fits('more', 1000), room.fits('more', 1001)]).toEqual([true, true, false]);
    room.recount([first!]);
    expect([room.isTight, room.fits('more', 10_000)]).toEqual([false, true]);
  });

  it('keeps the places of slices that a reader has not listed completely', () => {
    const room = new SliceRoom();
    const reader = {};
    filled(room, 45, reader);
    room.recount([]);
    expect(room.fits('more', 5001)).toBe(false);
    room.settle(reader);
    room.recount([]);
    expect(room.fits('more', 5001)).toBe(true);
  });

  it('is tight while a slice lacks its endpoints, or when half of it is used', () => {
    const [half, crowded] = [new SliceRoom(), new SliceRoom()];
    filled(half, 25);
    expect(half.isTight).toBe(false);
    half.take(slice('more', 1), null, half);
    expect(half.isTight).toBe(true);
    crowded.take(slice('a', 10_001), null, crowded);
    expect(crowded.isTight).toBe(true);
  });
});
