import { describe, expect, it } from 'vitest';
import { DecisionQuestion } from '../../../../dataplane/access-manager/policies/decision-question.ts';

type Given = ConstructorParameters<typeof DecisionQuestion>;

/** Questions of which each differs from all others, most of them so that joined parts would look the same. */
const questions: Given[] = [
  ['http://app.test/a', 'u', '', '', []],
  ['http://app.test/a', 'v', '', '', []],
  ['http://app.test/ab', 'u', '', '', []],
  ['http://app.test/a', '', 'u', '', []],
  ['http://app.test/a', '', '', 'u', []],
  ['http://app.test/a', 'u', 'v', '', []],
  ['http://app.test/a', 'uv', '', '', []],
  ['http://app.test/a', 'u@v', '', '', []],
  ['http://app.test/a@u', 'v', '', '', []],
  ['http://app.test/a', 'a', '', '', [['b', ['c']]]],
  ['http://app.test/a', 'a', '', '', [['b@c', ['']]]],
  ['http://app.test/a', 'a', '', '', [['b', ['@c']]]],
  ['http://app.test/a', 'a@b', '', '', [['c', ['']]]],
  ['http://app.test/a', 'a', '', '', [['b', ['c', 'd']]]],
  ['http://app.test/a', 'a', '', '', [['b', ['cd']]]],
  ['http://app.test/a', 'a', '', '', [['b', ['c1:d']]]],
  [
    'http://app.test/a',
    'a',
    '',
    '',
    [
      ['b', ['c']],
      ['d', ['']],
    ],
  ],
  ['http://app.test/a', 'a', '', '', [['b', ['c', '1.1:d']]]],
  ['http://app.test/a', '1.0.0.0:u', '', '', []],
  ['u1.0.0.0:http://app.test/a', '', '', 'u', []],
  ['http://app.test/a', 'u', '', '{"sub":"a"}', []],
  ['http://app.test/a', 'u', '{"sub":"a"}', '', []],
  ['http://app.test/a', 'u\0', '', '', []],
];

describe('the key of a question', () => {
  it('differs wherever the resource, the subject or the environment differs', () => {
    const keys = questions.map((given) => new DecisionQuestion(...given).key);
    expect(new Set(keys).size).toBe(questions.length);
  });

  it('is equal for equal questions', () => {
    for (const given of questions) {
      expect(new DecisionQuestion(...given).key).toBe(new DecisionQuestion(...structuredClone(given)).key);
    }
  });
});
