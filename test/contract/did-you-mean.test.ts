import { expect, it } from 'vitest';
import { didYouMean } from '../../contract/did-you-mean.ts';

it.each([
  ['prxy', ['check', 'proxy'], 'proxy'],
  ['porxy', ['check', 'proxy'], 'proxy'],
  ['proxyy', ['check', 'proxy'], 'proxy'],
  ['acess-lgo', ['access-log', 'admin'], 'access-log'],
  ['access', ['admin', 'access-log'], 'access-log'],
  ['K', ['h', 'k'], 'k'],
  ['HEADER', ['heade', 'header'], 'header'],
  ['listne', ['listen', 'line'], 'listen'],
])('takes %s among %j for %s', (word, candidates, meant) => {
  expect(didYouMean(word, candidates)).toBe(meant);
});

it.each([
  ['foo', ['to', 'units']],
  ['x', ['to']],
  ['', ['to']],
  ['proxy', []],
])('takes %s among %j for nothing', (word, candidates) => {
  expect(didYouMean(word, candidates)).toBeUndefined();
});
