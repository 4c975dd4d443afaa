import { pino } from 'pino';
import { expect, it } from 'vitest';
import { PacedWarning } from '../../../controller/cluster/paced-warning.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';

it('writes few lines of many, and then says how many were left out', async () => {
  const lines: string[] = [];
  const clock = new ManualClock();
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  const warning = new PacedWarning(log, 'connection of a data plane rejected', clock);
  for (let i = 0; i < 1000; i++) warning.give({ peer: `10.0.0.1:${i}` });
  expect(lines).toHaveLength(5);
  await clock.pass(1000);
  warning.give({ peer: '10.0.0.2:1' });
  expect(JSON.parse(lines[5]!)).toEqual({
    level: 40,
    peer: '10.0.0.2:1',
    leftOut: 995,
    msg: 'connection of a data plane rejected',
  });
});
