import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '../../../controller/cluster/api/api-error.ts';
import { toldFailures } from '../../../controller/cluster/told-failures.ts';

it('logs a failure once, and a different one again', () => {
  const lines: string[] = [];
  const tell = toldFailures(pino({}, { write: (line: string) => lines.push(line) }));
  const failure = (scope: string, message: string) => ({
    kind: 'Route',
    scope,
    error: new ApiError(message, { status: 0, reason: 'Unreachable' }),
  });
  for (const message of ['away', 'away', 'forbidden', 'forbidden']) tell(failure('shop', message));
  tell(failure('bank', 'away'));
  expect(lines.map((line) => [JSON.parse(line).scope, JSON.parse(line).error])).toEqual([
    ['shop', 'away'],
    ['shop', 'forbidden'],
    ['bank', 'away'],
  ]);
});
