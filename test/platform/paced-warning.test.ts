import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { LinePace } from '../../platform/line-pace.ts';
import { PacedWarning } from '../../platform/paced-warning.ts';

describe('a paced warning', () => {
  it('writes a few of many lines, and later the number of omitted ones', () => {
    const lines: string[] = [];
    let now = 0;
    const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
    const warning = new PacedWarning(log, 'connection of a data plane rejected', { most: 5, now: () => now });
    for (let i = 0; i < 1000; i++) warning.give({ peer: `10.0.0.1:${i}` });
    expect(lines).toHaveLength(5);
    expect(JSON.parse(lines[4]!)).toEqual({
      level: 40,
      peer: '10.0.0.1:4',
      msg: 'connection of a data plane rejected',
    });
    now = 1000;
    warning.give({ peer: '10.0.0.2:1' });
    expect(JSON.parse(lines[5]!)).toEqual({
      level: 40,
      peer: '10.0.0.2:1',
      leftOut: 995,
      msg: 'connection of a data plane rejected',
    });
  });
});

describe('the pace of log lines', () => {
  it('allows the same number of lines in every interval', () => {
    let now = 0;
    const pace = new LinePace({ most: 2, interval: 60_000, now: () => now });
    expect([pace.take(), pace.take(), pace.take(), pace.take()]).toEqual([{}, {}, null, null]);
    now = 59_999;
    expect(pace.take()).toBeNull();
    now = 60_000;
    expect([pace.take(), pace.take(), pace.take()]).toEqual([{ leftOut: 3 }, {}, null]);
  });

  it('starts an interval with its first line', () => {
    let now = 900;
    const pace = new LinePace({ most: 1, now: () => now });
    expect(pace.take()).toEqual({});
    now = 1800;
    expect(pace.take()).toBeNull();
    now = 1900;
    expect(pace.take()).toEqual({ leftOut: 1 });
  });
});
