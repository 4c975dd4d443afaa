import { describe, expect, it } from 'vitest';
import { deviation, mean, quantile } from '../../../contract/response-times.ts';
import { addFigures, bucketBound, bucketsOf, emptyFigures, FIGURE } from '../../../contract/route-report.ts';
import { figuresIn, SlotMemory } from '../../../dataplane/metrics/route-slots.ts';

describe('the figures of a route', () => {
  it('count statuses by family, failures and unanswered requests', () => {
    const slot = emptyFigures();
    const figures = figuresIn(slot);
    for (const status of [101, 200, 204, 302, 404, 499, 500, 600, 999]) {
      figures.begin();
      figures.end(status, 1, status === 500);
    }
    figures.begin();
    figures.endUnanswered(1);
    figures.begin();
    expect([...slot.slice(0, 10)]).toEqual([11, 10, 1, 1, 1, 2, 1, 2, 1, 2]);
  });

  it('place a time in the bucket that holds it', () => {
    for (const milliseconds of [0, 0.001, 0.002, 0.003, 0.01, 0.5, 1, 1.5, 7, 999, 60_000, 1_900_000]) {
      const slot = emptyFigures();
      figuresIn(slot).end(200, milliseconds, false);
      const bucket = bucketsOf(slot).indexOf(1);
      const seconds = milliseconds / 1000;
      expect(bucketBound(bucket)).toBeGreaterThanOrEqual(seconds);
      if (seconds > 0.000_001) expect(bucketBound(bucket)).toBeLessThanOrEqual(seconds * 1.5 + 0.000_001);
    }
  });

  it('return quantiles, mean and deviation', () => {
    const slot = emptyFigures();
    const figures = figuresIn(slot);
    for (let i = 1; i <= 1000; i++) figures.end(200, i, false);
    expect(mean(slot)).toBeCloseTo(0.5005, 6);
    expect(deviation(slot)).toBeCloseTo(0.288_67, 4);
    expect(quantile(slot, 0.5)).toBeGreaterThan(0.49);
    expect(quantile(slot, 0.5)).toBeLessThan(0.63);
    expect(quantile(slot, 0.999)).toBe(1);
    expect(slot[FIGURE.shortest]).toBe(0.001);
    expect(quantile(emptyFigures(), 0.5)).toBe(0);
  });

  it('stay when a unit ends, and its active requests end', () => {
    const memory = new SlotMemory();
    const kept = new SlotMemory();
    expect(memory.reach(300)).toHaveLength(3);
    const figures = figuresIn(memory.slot(300)!);
    figures.begin();
    figures.end(200, 5, false);
    figures.begin();
    kept.absorb(memory);
    kept.absorb(memory);
    const sum = emptyFigures();
    addFigures(sum, kept.slot(300)!);
    expect(sum[FIGURE.begun]).toBe(2);
    expect(sum[FIGURE.ended]).toBe(2);
    expect(sum[FIGURE.longest]).toBe(0.005);
    expect(sum[FIGURE.shortest]).toBe(0.005);
    expect(memory.slot(10_000)).toBeNull();
    expect(memory.slot(-1)).toBeNull();
    expect(memory.numberAt(300, FIGURE.begun)).toBe(2);
    expect(memory.numberAt(10_000, FIGURE.begun)).toBe(0);
    expect(memory.numberAt(-1, FIGURE.begun)).toBe(0);
  });
});
