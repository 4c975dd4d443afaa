import { describe, expect, it } from 'vitest';
import { quantile } from '../../contract/response-times.ts';
import {
  activeOf,
  addFigures,
  emptyFigures,
  FIGURE,
  mergeFigures,
  readFigures,
  reportedFigures,
} from '../../contract/route-report.ts';
import { figuresIn } from '../../dataplane/metrics/route-slots.ts';

function counted(times: readonly number[], begun = times.length): Float64Array {
  const slot = emptyFigures();
  const figures = figuresIn(slot);
  for (let i = 0; i < begun; i++) figures.begin();
  for (const time of times) figures.end(200, time, false);
  return slot;
}

describe('figures in a report', () => {
  it('are decoded unchanged', () => {
    const slot = counted([0.01, 1, 20, 20, 900], 7);
    expect(readFigures(reportedFigures(slot))).toEqual(slot);
    expect(activeOf(slot)).toBe(2);
  });

  it('are short where little was counted', () => {
    expect(reportedFigures(emptyFigures())).toEqual(new Array(14).fill(0));
    expect(reportedFigures(counted([5, 5, 5]))).toHaveLength(16);
  });

  const plain = new Array<number>(14).fill(1);
  it.each([
    ['too short', plain.slice(1)],
    ['half a pair', [...plain, 3]],
    ['a bucket that is not there', [...plain, 128, 1]],
    ['half a bucket', [...plain, 1.5, 1]],
    ['below zero', [...plain.slice(1), -1]],
    ['no number', [...plain.slice(1), Number.NaN]],
  ])('are rejected when they are %s', (_, reported) => {
    expect(readFigures(reported)).toBeNull();
    expect(mergeFigures([reported])).toEqual(emptyFigures());
  });
});

describe('the figures of several planes', () => {
  it('add up to those of one data plane with all requests', () => {
    const fast = counted(Array.from({ length: 90 }, () => 1));
    const slow = counted(Array.from({ length: 10 }, () => 1000));
    const merged = mergeFigures([fast, slow, emptyFigures()].map(reportedFigures));
    const both = emptyFigures();
    addFigures(both, fast);
    addFigures(both, slow);
    expect(merged).toEqual(both);
    expect(quantile(merged, 0.5)).toBeLessThan(0.01); // an average of the two medians would be half a second
    expect(quantile(merged, 0.95)).toBeGreaterThan(0.9);
    expect([merged[FIGURE.shortest], merged[FIGURE.longest]]).toEqual([0.001, 1]);
  });
});
