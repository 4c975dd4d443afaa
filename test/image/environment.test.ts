import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ENVIRONMENT } from '../../image/system-files.ts';

it('the Containerfile sets the environment of the image', () => {
  const text = readFileSync(new URL('../../Containerfile', import.meta.url), 'utf8');
  const words = /^ENV (.+)$/m.exec(text)![1]!.split(' ');
  expect(Object.fromEntries(words.map((word) => word.split('=')))).toEqual(ENVIRONMENT);
});
