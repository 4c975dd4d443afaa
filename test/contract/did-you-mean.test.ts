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
])('matches %s among %j with %s', (word, candidates, meant) => {
  expect(didYouMean(word, candidates)).toBe(meant);
});

it.each([
  ['foo', ['to', 'units']],
  ['x', ['to']],
  ['', ['to']],
  ['proxy', []],
])('does not match %s among %j', (word, candidates) => {
  expect(didYouMean(word, candidates)).toBeUndefined();
});
