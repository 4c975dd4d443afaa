import { expect, it } from 'vitest';
import { readLimits } from '../../cli/options/limits.ts';
import { temporaryFileBytes } from '../../controller/injection/temporary-file-limit.ts';
import { renderText } from '../support/cluster/chart.ts';

async function limitsOf(dataPlaneDefaults: object): Promise<unknown> {
  const [, text] = /- "--limits=(.*)"/.exec(await renderText({ values: [{ dataPlaneDefaults }] }))!;
  return readLimits(text!);
}

it.each(['1Gi', '512Mi', '1.5G', '2Ti', '16Ei', '900m', 5_000_000_000])(
  'temporary files of data planes with a volume of %j use at most nine tenths of it',
  async (sizeLimit) => {
    const limits = await limitsOf({ temporaryStorage: { sizeLimit } });
    expect(limits).toEqual({ value: { temporaryFileBytes: temporaryFileBytes(String(sizeLimit)) } });
  },
);

it('limits.temporaryFileBytes of the values overrides the size of the volume', async () => {
  const limits = await limitsOf({ limits: { temporaryFileBytes: 4096, bodyBytes: 10 } });
  expect(limits).toEqual({ value: { temporaryFileBytes: 4096, bodyBytes: 10 } });
});
