import { describe, expect, it } from 'vitest';
import { PacedWork } from '../../../dataplane/jose/paced-work.ts';

/** Work of one millisecond each, in turns that the test takes. */
function setUp(perTurn: number, mostWaiting = 100) {
  const turns: (() => void)[] = [];
  const done: number[] = [];
  let now = 0;
  const paced = new PacedWork({ perTurn, mostWaiting, now: () => now, nextTurn: (callback) => turns.push(callback) });
  return {
    paced,
    done,
    turns,
    run: (name: number) =>
      paced.run(() => {
        now++;
        done.push(name);
        return name % 2 === 0;
      }),
    takeTurn: () => turns.shift()?.(),
  };
}

describe('PacedWork', () => {
  it('runs at once as much as fits into the turn', () => {
    const { run, done } = setUp(3);
    expect([run(0), run(1), run(2)]).toEqual([true, false, true]);
    expect(done).toEqual([0, 1, 2]);
  });

  it('does the rest in later turns, in order', async () => {
    const { run, done, takeTurn } = setUp(2);
    const results = [0, 1, 2, 3, 4, 5].map(run);
    expect(done).toEqual([0, 1]);
    takeTurn();
    expect(done).toEqual([0, 1, 2, 3]);
    results.push(run(6));
    expect(done).toEqual([0, 1, 2, 3]);
    takeTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5]);
    takeTurn();
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await Promise.all(results)).toEqual([true, false, true, false, true, false, true]);
  });

  it('counts work for waiting callers in the same turn', () => {
    const { run, done, takeTurn } = setUp(2);
    for (const name of [0, 1, 2]) void run(name);
    takeTurn();
    expect(done).toEqual([0, 1, 2]);
    expect(run(4)).toBe(true);
    expect(run(6)).toBeInstanceOf(Promise);
  });

  it('starts at least one piece of work per turn', () => {
    const { run, done, takeTurn } = setUp(0.001);
    for (const name of [0, 1, 2]) void run(name);
    takeTurn();
    expect(done).toEqual([0, 1]);
  });

  it('schedules one turn at a time, and none without work', () => {
    const { run, turns, takeTurn } = setUp(1);
    for (const name of [0, 1, 2]) void run(name);
    expect(turns).toHaveLength(1);
    takeTurn();
    takeTurn();
    expect(turns).toHaveLength(1);
    takeTurn();
    expect(turns).toHaveLength(0);
    expect(run(4)).toBe(true);
    expect(turns).toHaveLength(1);
  });

  it('reports when its queue is full', () => {
    const { run, paced, takeTurn } = setUp(1, 3);
    for (const name of [0, 1, 2]) void run(name);
    expect(paced.isFull).toBe(false);
    void run(3);
    expect(paced.isFull).toBe(true);
    takeTurn();
    expect(paced.isFull).toBe(false);
  });

  it('keeps up the order over many turns', () => {
    const { run, done, takeTurn } = setUp(2, 4);
    let next = 0;
    for (let turn = 0; turn < 50; turn++) {
      void run(next++);
      void run(next++);
      takeTurn();
    }
    takeTurn();
    expect(done).toEqual(Array.from({ length: next }, (_, index) => index));
  });

  it('passes a failure to its caller and continues', async () => {
    const { paced, run, takeTurn } = setUp(1);
    void run(0);
    const failed = paced.run(() => {
      throw new Error('broken');
    });
    const after = run(2);
    takeTurn();
    takeTurn();
    await expect(failed).rejects.toThrow('broken');
    expect(await after).toBe(true);
  });
});
