import { expect, it } from 'vitest';
import { readLimits } from '../../../cli/options/limits.ts';
import { temporaryFileBytes, withTemporaryFileLimit } from '../../../controller/injection/temporary-file-limit.ts';

it.each([
  ['64Mi', 60_397_977],
  ['1Gi', 966_367_641],
  ['1.5G', 1_350_000_000],
  ['1000', 900],
  ['900m', 1],
  ['16Ei', 2 ** 42],
])('temporary files of a sidecar with %s use at most nine tenths of it', (size, bytes) => {
  expect(temporaryFileBytes(size)).toBe(bytes);
  expect(readLimits(`temporaryFileBytes=${bytes}`)).toEqual({ value: { temporaryFileBytes: bytes } });
});

it.each<[words: string[], expected: string[]]>([
  [[], ['--limits=temporaryFileBytes=900']],
  [
    ['--host', '::'],
    ['--limits=temporaryFileBytes=900', '--host', '::'],
  ],
  [['--limits=bodyBytes=5'], ['--limits=bodyBytes=5,temporaryFileBytes=900']],
  [
    ['--limits', 'bodyBytes=5', '--host=::'],
    ['--limits', 'bodyBytes=5,temporaryFileBytes=900', '--host=::'],
  ],
  [['--limits=default'], ['--limits=temporaryFileBytes=900']],
  [['--limits=temporaryFileBytes=7'], ['--limits=temporaryFileBytes=7']],
  [['--limits'], ['--limits']],
])('extraArgs of %j keep their limits beside that of temporary files', (words, expected) => {
  expect(withTemporaryFileLimit(words, '1000')).toEqual(expected);
});
