import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { EndpointSpec } from '../../../../dataplane/backends/endpoints/balanced-endpoint.ts';
import { boundedEndpoints } from '../../../../dataplane/backends/endpoints/bounded-endpoints.ts';
import { EndpointMeter } from '../../../../dataplane/backends/endpoints/endpoint-meter.ts';
import { EndpointRoom } from '../../../../dataplane/backends/endpoints/endpoint-room.ts';
import type { EndpointSource } from '../../../../dataplane/backends/endpoints/endpoint-source.ts';
import { endpointSpec } from '../../../../dataplane/backends/endpoints/endpoint-spec.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';
import { NEVER } from '../../../../dataplane/engine/wire/sweep.ts';
import { objectParts } from '../../../support/gateways/object-parts.ts';

/** Endpoints of a tenant whose other Backends leave so many places. */
class Bounded {
  readonly logged: Record<string, unknown>[] = [];
  readonly shown = new Map<string, () => number>();
  readonly other: { take(endpoints: number): number };
  specs: readonly EndpointSpec[] = Array.from({ length: 100 }, (_, at) => spec(at));
  calls = 0;
  private readonly source: EndpointSource;
  readonly end: () => void;

  constructor(free: number, identity = 'a') {
    const room = new EndpointRoom();
    this.other = room.join(1, () => {});
    this.other.take(50_000 - free);
    const gauge = (metric: string, _: object, read: () => number): (() => void) => {
      this.shown.set(metric, read);
      return () => this.shown.delete(metric);
    };
    this.source = boundedEndpoints(
      { interval: NEVER, none: 'there are none', ask: () => this.specs },
      {
        ...{ room, places: 1, identity, meter: new EndpointMeter(objectParts({}, { gauge }).parts) },
        log: pino({}, { write: (line: string) => this.logged.push(JSON.parse(line)) }),
      },
    );
    this.end = this.source.follow!(() => this.calls++);
  }

  get keys(): string[] {
    return (this.source.ask() as readonly EndpointSpec[]).map(({ key }) => key);
  }

  get leftOut(): number | undefined {
    return this.shown.get('gw_backends_left_out_endpoints')?.();
  }
}

function spec(at: number): EndpointSpec {
  return endpointSpec(Uri.parse(`http://10.0.0.${at}:80`), null, 1, null);
}

it('all endpoints are used while there are places for them', () => {
  const bounded = new Bounded(100);
  expect([bounded.keys.length, bounded.leftOut, bounded.logged]).toEqual([100, 0, []]);
});

it('endpoints without places are left out, which a metric and one line of the log say', () => {
  const bounded = new Bounded(40);
  const used = bounded.keys;
  expect([used.length, bounded.leftOut]).toEqual([40, 60]);
  expect([bounded.keys, bounded.logged.length]).toEqual([used, 1]);
  expect(bounded.logged).toMatchObject([{ level: 40, endpoints: 100, used: 40 }]);
  bounded.specs = bounded.specs.filter(({ key }) => key !== used[0]);
  expect(used.slice(1).every((key) => bounded.keys.includes(key))).toBe(true); // those that stay keep their connections
  bounded.end();
  expect(bounded.leftOut).toBeUndefined();
});

it('each Backends uses other endpoints of the same Service', () => {
  expect(new Set([...new Bounded(16, 'a').keys, ...new Bounded(16, 'b').keys]).size).toBeGreaterThan(20);
});

it('endpoints of the own zone are used first', () => {
  const bounded = new Bounded(16);
  bounded.specs = bounded.specs.map((one, at) => (at < 90 ? { ...one, isFar: true } : one));
  const near = bounded.specs.slice(90).map(({ key }) => key);
  expect(bounded.keys).toEqual(expect.arrayContaining(near));
});

it('endpoints are asked for again when there are places, also those that come later', async () => {
  const bounded = new Bounded(40);
  expect([bounded.keys.length, bounded.calls]).toEqual([40, 0]);
  bounded.other.take(0);
  expect([bounded.calls, bounded.keys.length, bounded.leftOut]).toEqual([1, 100, 0]);
});

it('a list that arrives later is cut, too', async () => {
  const room = new EndpointRoom();
  room.join(1, () => {}).take(50_000);
  const meter = new EndpointMeter(objectParts({}).parts);
  const ask = async (): Promise<readonly EndpointSpec[]> => Array.from({ length: 100 }, (_, at) => spec(at));
  const log = pino({ enabled: false });
  const source = boundedEndpoints({ interval: 5000, ask }, { room, places: 1, identity: 'a', meter, log });
  expect([await source.ask(), source.interval, source.none]).toMatchObject([{ length: 16 }, 5000, undefined]);
});
