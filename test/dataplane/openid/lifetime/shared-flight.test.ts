import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SharedFlight } from '../../../../dataplane/openid/lifetime/shared-flight.ts';
import { FLIGHT_BYTES, type FlightRace, flightTable } from '../../../support/state/flight-racer.ts';

function start(race: FlightRace): Worker {
  const worker = new Worker(new URL('../../../support/state/flight-racer.ts', import.meta.url), { workerData: race });
  onTestFinished(async () => void (await worker.terminate()));
  return worker;
}

describe('SharedFlight', () => {
  it('has one of several racing units ask each question, and gives its answer to all', async () => {
    const race = { memory: new SharedArrayBuffer(FLIGHT_BYTES), threads: 3, flights: 100, isAnswered: true };
    const counts = new SharedArrayBuffer(8);
    const workers = Array.from({ length: race.threads }, () => start({ ...race, counts }));
    const seen = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0] as unknown));
    expect(seen[0]).toHaveLength(100);
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    expect(new Int32Array(counts)[1]).toBe(100);
  });

  it('asks again once the lease of a unit that died is over, and not before', async () => {
    const memory = new SharedArrayBuffer(FLIGHT_BYTES);
    const worker = start({ memory, counts: new SharedArrayBuffer(8), threads: 1, flights: 1, isAnswered: false });
    await once(worker, 'message');
    await worker.terminate();
    const clock = { now: Date.now() - 60_000 };
    const now = (): number => clock.now;
    const asked: number[] = [];
    const flight = new SharedFlight(flightTable(memory), 'flight 0', now);
    const running = flight.run(
      async () => {
        asked.push(clock.now);
        return { kind: 'refused' };
      },
      () => false,
      () => {},
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual([]);
    clock.now += 3_600_000;
    expect(await running).toEqual({ state: { kind: 'refused' }, isNew: true });
    expect(asked).toEqual([clock.now]);
  });

  it('keeps the answer of a unit that was taken for dead, and then its own', async () => {
    const memory = new SharedArrayBuffer(FLIGHT_BYTES);
    const clock = { now: Date.now() };
    const now = (): number => clock.now;
    const nothing = (): void => {};
    let answer: (state: { kind: 'refused' } | { kind: 'failed'; until: number }) => void = nothing;
    const stalled = new SharedFlight(flightTable(memory, now), 'it', now).run(
      () => new Promise((resolve) => (answer = resolve)),
      () => false,
      nothing,
    );
    clock.now += 60_000;
    const other = new SharedFlight(flightTable(memory, now), 'it', now);
    expect(
      (
        await other.run(
          async () => ({ kind: 'refused' }),
          () => false,
          nothing,
        )
      ).isNew,
    ).toBe(true);
    answer({ kind: 'failed', until: 1 });
    expect((await stalled).state).toEqual({ kind: 'failed', until: 1 });
    const late = new SharedFlight(flightTable(memory, now), 'it', now);
    const { state, isNew } = await late.run(
      async () => ({ kind: 'refused' }),
      () => false,
      nothing,
    );
    expect([state, isNew]).toEqual([{ kind: 'failed', until: 1 }, false]);
  });
});
