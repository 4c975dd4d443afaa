import { expect, it } from 'vitest';
import { Admission, type Leave } from '../../../../controller/publish/channel/admission.ts';
import { ManualClock } from '../../../support/gateways/manual-clock.ts';

function asked(admission: Admission, count: number, bytes = 0) {
  const entered: number[] = [];
  const places: Leave[] = [];
  const givingUp = Array.from({ length: count }, () => new AbortController());
  for (const [index, { signal }] of givingUp.entries()) {
    void admission.enter(bytes, signal).then((leave) => {
      if (leave === null) return;
      entered.push(index);
      places.push(leave);
    });
  }
  return { entered, places, givingUp };
}

it('admits a limited number at a time, in order', async () => {
  const clock = new ManualClock();
  const admission = new Admission({ clock, atOnce: 2 });
  const { entered, places, givingUp } = asked(admission, 5);
  await clock.pass(0);
  expect(entered).toEqual([0, 1]);
  expect(admission.waiting).toBe(3);
  givingUp[2]?.abort();
  places[1]?.();
  places[1]?.();
  await clock.pass(0);
  expect(entered).toEqual([0, 1, 3]);
});

it('limits the bytes that start per second', async () => {
  const clock = new ManualClock();
  const { entered } = asked(new Admission({ clock, atOnce: 100, bytesPerSecond: 1_000 }), 5, 500);
  await clock.pass(0);
  expect(entered).toEqual([0]);
  await clock.pass(1_000);
  expect(entered).toEqual([0, 1, 2]);
  await clock.pass(1_000);
  expect(entered).toEqual([0, 1, 2, 3, 4]);
});

it('does not wait for ever for one that does not go', async () => {
  const clock = new ManualClock();
  const { entered, places } = asked(new Admission({ clock, atOnce: 1, patience: 100 }), 3);
  await clock.pass(100);
  expect(entered).toEqual([0, 1]);
  places[0]?.();
  await clock.pass(99);
  expect(entered).toEqual([0, 1]);
});

it('does not admit a request that was already cancelled', async () => {
  expect(await new Admission({ clock: new ManualClock() }).enter(1, AbortSignal.abort())).toBeNull();
});
