import { describe, expect, it } from 'vitest';
import { COUNTER, COUNTER_SLOTS, type CounterName } from '../../../dataplane/engine/wire/counters.ts';
import { isAtWork, lookAfterMemory, servesTraffic } from '../../../dataplane/supervisor/spare-memory.ts';

it.each<CounterName>(['requestsActive', 'tunnelsOpen', 'webSocketsOpen'])(
  'a thread serves traffic as long as there are %s',
  (name) => {
    const block = new Float64Array(COUNTER_SLOTS);
    const isBusy = servesTraffic(block);
    const looks = [0, 1, 1, 0].map((open) => {
      block[COUNTER[name]] = open;
      return isBusy();
    });
    expect(looks).toEqual([false, true, true, false]);
  },
);

it.each<CounterName>(['status2xx', 'status3xx', 'status4xx', 'status5xx', 'statusOther'])(
  'a thread served traffic when it answered more than probes since the last look: %s',
  (name) => {
    const block = new Float64Array(COUNTER_SLOTS);
    const isBusy = servesTraffic(block);
    const looks = [5, 2505, 2515, 5015, 5015].map((answered) => {
      block[COUNTER[name]] = answered;
      return isBusy();
    });
    expect(looks).toEqual([false, true, false, true, false]);
  },
);

it('a thread is at work when it took processor time since the last look', () => {
  const isBusy = isAtWork();
  expect(isBusy()).toBe(false);
  const begun = process.threadCpuUsage();
  while (process.threadCpuUsage(begun).user < 160_000) JSON.stringify([1]);
  expect(isBusy()).toBe(true);
  expect(isBusy()).toBe(false);
});

describe('memory that a thread does not need', () => {
  const MEGABYTE = 1 << 20;

  /** Looks at a thread with so many megabytes of heap each time. @returns at which looks it gave back */
  function looks(heap: readonly number[], { busy = [] as readonly number[], leaves = 40 } = {}): number[] {
    const given: number[] = [];
    let at = 0;
    let now = 0;
    const look = lookAfterMemory(
      () => busy.includes(at),
      () => now * MEGABYTE,
      () => {
        given.push(at);
        now = leaves;
      },
    );
    for (; at < heap.length; at++) {
      now = heap[at]!;
      look();
    }
    return given;
  }

  const minutes = (heap: number): number[] => Array.from({ length: 23 }, () => heap);

  it('is given back at the first look', () => {
    expect(looks([100, 41, 41])).toEqual([0]);
  });

  it('is given back at the first look without traffic', () => {
    expect(looks([100, 100, 100], { busy: [0, 1] })).toEqual([2]);
  });

  it('is given back again when the heap has grown by more than a tenth, but not within two minutes', () => {
    expect(looks([100, ...minutes(45), 45, 45])).toEqual([0, 24]);
    expect(looks([100, ...minutes(44), 44, 44.5, 44.5])).toEqual([0, 25]);
  });

  it('is kept as long as the heap did not grow by 3 MB', () => {
    expect(looks([100, ...minutes(22), 22.5, 23, 23.5], { leaves: 20 })).toEqual([0, 26]);
  });

  it('is given back when the heap has grown from its least', () => {
    expect(looks([100, ...minutes(40), 30, 33, 33.5], { leaves: 40 })).toEqual([0, 26]);
  });

  it('is kept by a busy thread, however much it grows', () => {
    expect(looks([100, ...minutes(90), 90, 90, 90], { busy: [24, 25] })).toEqual([0, 26]);
  });
});
