import { expect, it } from 'vitest';
import { BreakerState } from '../../../dataplane/backends/breaker-state.ts';

const UNTIL = 1000n;

function state(maxFailures: number, size = 0): BreakerState {
  return new BreakerState(new SharedArrayBuffer(BreakerState.bytes(size)), maxFailures);
}

/** Plays outcomes, `x` for a failure, until the circuit opens. @returns how many were needed, or -1. */
function played(circuit: BreakerState, outcomes: string): number {
  for (const [index, outcome] of [...outcomes].entries()) {
    const { openings } = circuit;
    if (outcome !== 'x') circuit.succeeded(openings);
    else if (circuit.trip(circuit.failed(openings), UNTIL)) return index + 1;
  }
  return -1;
}

it.each([
  // in a row
  [1, 0, 'x', 1],
  [3, 0, 'xxx', 3],
  [3, 0, 'xx.xx.xx', -1],
  [3, 0, 'xx.xxx', 6],
  [3, 0, '', -1],
  // among the last ones
  [1, 2, '.x', 2],
  [2, 3, 'x.x', 3],
  [2, 3, 'x..x..x', -1],
  [2, 3, 'x..x.x', 6],
  [3, 10, 'x...x....x', 10],
  [3, 10, 'x...x.....x', -1],
  [3, 4, 'xx..xx..xx.x', 12],
  [2, 3, '......x.x', 9],
] as const)('%i failures, window of %i: %s opens after %i', (maxFailures, size, outcomes, expected) => {
  expect(played(state(maxFailures, size), outcomes)).toBe(expected);
});

it.each([0, 5])('starts counting again after it was open, with a window of %i', (size) => {
  const circuit = state(3, size);
  expect(played(circuit, 'xxx')).toBe(3);
  expect(circuit.openUntil).toBe(UNTIL);
  expect(circuit.close(UNTIL)).toBe(true);
  expect(circuit.openUntil).toBe(0n);
  expect(played(circuit, 'xx')).toBe(-1);
  expect(played(circuit, 'x')).toBe(1);
});

it('ignores requests that started before it opened or end while it is open', () => {
  const circuit = state(1);
  const before = circuit.openings;
  expect(played(circuit, 'x')).toBe(1);
  expect(circuit.failed(circuit.openings)).toBe(0);
  circuit.close(UNTIL);
  expect(circuit.failed(before)).toBe(0);
  expect(circuit.failed(circuit.openings)).toBe(1);
});

it('is opened and closed once by concurrent callers', () => {
  const memory = new SharedArrayBuffer(BreakerState.bytes(0));
  const [one, other] = [new BreakerState(memory, 1), new BreakerState(memory, 1)];
  const failures = [one.failed(0), other.failed(0)];
  expect([one.trip(failures[0]!, 5n), other.trip(failures[1]!, 6n)]).toEqual([true, false]);
  expect(other.openUntil).toBe(5n);
  expect([one.close(6n), one.close(5n), other.close(5n)]).toEqual([false, true, false]);
});

it('two that see the same memory count together', () => {
  const memory = new SharedArrayBuffer(BreakerState.bytes(10));
  const [one, other] = [new BreakerState(memory, 2), new BreakerState(memory, 2)];
  expect([one.failed(0), other.failed(0)]).toEqual([1, 2]);
});
