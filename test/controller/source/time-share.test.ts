import { describe, expect, it } from 'vitest';
import { TimeShare } from '../../../controller/source/time-share.ts';

/** A tenth of the time, 50 ms of it in reserve, on a clock that only work and waiting move. */
function setting(): { share: TimeShare; work(milliseconds: number): void; pass(milliseconds: number): void } {
  let now = 1000;
  const share = new TimeShare(0.1, 50, () => now);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { share, work: (milliseconds) => share.spend(() => pass(milliseconds)), pass };
}

describe('a share of the time', () => {
  it('makes nobody wait while its reserve lasts', () => {
    const { share, work } = setting();
    expect(share.wait).toBe(0);
    work(50);
    expect(share.wait).toBe(0);
  });

  it('makes work wait until the reserve would be whole again but for what is due', () => {
    const { share, work, pass } = setting();
    work(80);
    expect(share.wait).toBeCloseTo(220); // 80 ms of work, 8 ms of which passed meanwhile, 50 ms of reserve
    pass(219);
    expect(share.wait).toBeCloseTo(1);
    pass(1);
    expect(share.wait).toBeCloseTo(0);
  });

  it('is kept by work that never ends, apart from the reserve', () => {
    const { share, work, pass } = setting();
    let worked = 0;
    let passed = 0;
    for (let round = 0; round < 1000; round++) {
      work(4);
      worked += 4;
      const wait = share.wait;
      pass(wait);
      passed += 4 + wait;
    }
    expect(worked - 50).toBeLessThanOrEqual(passed * 0.1 + 4);
    expect(passed).toBeLessThan(worked * 10);
  });

  it('saves up no more than its reserve', () => {
    const { share, work, pass } = setting();
    pass(1e6);
    work(60);
    expect(share.wait).toBeGreaterThan(0);
  });

  it('counts work that fails', () => {
    const { share, pass } = setting();
    const failing = (): never => {
      pass(100);
      throw new Error('no');
    };
    expect(() => share.spend(failing)).toThrow('no');
    expect(share.wait).toBeGreaterThan(0);
  });
});
