import { describe, expect, it } from 'vitest';
import { readLimits } from '../../../cli/options/limits.ts';

describe('--limits', () => {
  it('reads numbers, durations and words', () => {
    expect(readLimits('bodyBytes=1048576, headTimeout=5s,underscores=true')).toEqual({
      value: { bodyBytes: 1_048_576, headTimeout: 5000, underscores: true },
    });
    expect(readLimits('queries=refuse')).toEqual({ value: { queries: 'refuse' } });
    expect(readLimits('queries=no')).toEqual({
      problem: "has problems: queries must be one of pass, encode, refuse, not 'no'",
    });
    expect(readLimits('default')).toEqual({ value: {} });
  });

  it('names every problem at once', () => {
    expect(readLimits('bodyByte=1,headerLines=0,headTimeout=soon,x')).toEqual({
      problem: expect.stringMatching(
        /did you mean 'bodyBytes'.*headTimeout must be.*'x' is not NAME=VALUE.*headerLines/,
      ),
    });
  });
});
