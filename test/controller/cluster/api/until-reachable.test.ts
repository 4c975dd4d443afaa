import { pino } from 'pino';
import { expect, it } from 'vitest';
import { ApiError } from '../../../../controller/cluster/api/api-error.ts';
import { untilReachable } from '../../../../controller/cluster/api/until-reachable.ts';

const log = pino({ enabled: false });

it('retries while the API server is unreachable', async () => {
  let asked = 0;
  const answer = await untilReachable(async () => {
    if (++asked === 1) throw new ApiError('nobody is there', { status: 0, reason: 'Unreachable' });
    return 'here';
  }, log);
  expect([answer, asked]).toEqual(['here', 2]);
});

it.each([401, 403, 404])('does not retry after %s', async (status) => {
  const refusal = new ApiError('no', { status, reason: 'No' });
  await expect(untilReachable(() => Promise.reject(refusal), log)).rejects.toBe(refusal);
});
