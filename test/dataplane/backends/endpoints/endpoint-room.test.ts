import { describe, expect, it } from 'vitest';
import { EndpointRoom, type EndpointShare } from '../../../../dataplane/backends/endpoints/endpoint-room.ts';

/** A Backends that asks again when it is called. */
class Asking {
  used = 0;
  calls = 0;
  private readonly share: EndpointShare;
  private readonly endpoints: number;

  constructor(room: EndpointRoom, endpoints: number, places = 1) {
    this.endpoints = endpoints;
    this.share = room.join(places, () => {
      this.calls++;
      this.ask();
    });
    this.ask();
  }

  ask(endpoints = this.endpoints): number {
    this.used = this.share.take(endpoints);
    return this.used;
  }

  leave(): void {
    this.share.leave();
  }
}

const many = (room: EndpointRoom, count: number, places = 1): Asking[] =>
  Array.from({ length: count }, () => new Asking(room, 1000, places));

describe('room for the endpoints of a tenant', () => {
  it('has 50,000 places, and a Backends without places has 16 endpoints', () => {
    const room = new EndpointRoom();
    const all = many(room, 60);
    expect(all.map(({ used }) => used)).toEqual([...Array(50).fill(1000), ...Array(10).fill(16)]);
    expect([new Asking(room, 7).used, new Asking(room, 17).used]).toEqual([7, 16]);
  });

  it('gives the places that are left, if they are more', () => {
    const room = new EndpointRoom();
    many(room, 49);
    expect([new Asking(room, 300).used, new Asking(room, 1000).used]).toEqual([300, 700]);
  });

  it('counts endpoints on a ring threefold', () => {
    expect(many(new EndpointRoom(), 18, 3).map(({ used }) => used)).toEqual([...Array(16).fill(1000), 666, 16]);
  });

  it('counts a Backends as it asked last', () => {
    const room = new EndpointRoom();
    const all = many(room, 50);
    expect(all[0]!.ask(1000)).toBe(1000);
    all[0]!.ask(400);
    expect(new Asking(room, 1000).used).toBe(600);
  });

  it('calls those that wait when there are places for all of their endpoints, the first ones first', () => {
    const room = new EndpointRoom();
    const [first, second, ...others] = many(room, 50);
    const waiting = many(room, 3);
    first!.leave();
    expect(waiting.map(({ used }) => used)).toEqual([16, 16, 16]); // which are more than the places
    second!.ask(0);
    expect(waiting.map(({ used }) => used)).toEqual([1000, 16, 16]);
    for (const one of others) one.leave();
    expect(waiting.map(({ used, calls }) => [used, calls])).toEqual([
      [1000, 1],
      [1000, 1],
      [1000, 1],
    ]);
  });

  it('calls nobody that has left, and gives it 16 endpoints if it still asks', () => {
    const room = new EndpointRoom();
    const [first] = many(room, 50);
    const [gone] = many(room, 1);
    gone!.leave();
    first!.leave();
    expect([gone!.calls, gone!.ask()]).toEqual([0, 16]);
    expect(new Asking(room, 1000).used).toBe(1000);
  });
});
