import { describe, expect, it } from 'vitest';
import type { Path, Problem } from '../../../contract/problem.ts';
import { concealed, firstProblems, notFollowing } from '../../../controller/compile/later-problems.ts';

function problem(path: Path, message = 'is wrong', severity: Problem['severity'] = 'error'): Problem {
  return { code: 'value', severity, path, message };
}

describe('problems that follow from earlier ones', () => {
  it.each<[string, Path, Path]>([
    ['of the same place', ['a', 0], ['a', 0]],
    ['of what a transformation makes', ['a', 'b', '$int'], ['a', 'b']],
    ['of what nested transformations make', ['a', '$int', '$string'], ['a']],
  ])('are left out: %s', (_, earlier, later) => {
    expect(notFollowing([problem(later)], [problem(earlier)])).toEqual([]);
    expect(firstProblems([problem(earlier), problem(later)])).toEqual([problem(earlier)]);
  });

  it.each<[string, Path, Path]>([
    ['of another place', ['a', 0], ['a', 1]],
    ['of the object around it', ['a', 'b'], ['a']],
    ['of something inside', ['a'], ['a', 'b']],
    ['of the whole document', [], []],
  ])('are not those %s', (_, earlier, later) => {
    expect(notFollowing([problem(later)], [problem(earlier)])).toEqual([problem(later)]);
  });

  it('do not follow from warnings', () => {
    expect(notFollowing([problem(['a'])], [problem(['a'], 'is odd', 'warning')])).toHaveLength(1);
  });
});

describe('problems after a replacement', () => {
  const written = { plain: 'many', token: '&{key}', list: [{ $object: '&{key}' }] };
  const resolved = { plain: 'many', token: 'hunter2', list: [{ inner: 'hunter2' }] };
  const told = (path: Path, message: string) => concealed([problem(path, message)], { written, resolved })[0]!.message;

  it.each<[string, Path, string, string]>([
    ['hide what a token stands for', ['token'], "is not 'hunter2'", "is not '…'"],
    ['hide it inside of what was made', ['list', 0, 'inner'], "is not 'hunter2'", "is not '…'"],
    ['hide it where the place is only the nearest', ['token', 'more'], "is not 'hunter2'", "is not '…'"],
    ['show what is written', ['plain'], "is not 'many'", "is not 'many'"],
    ['show a key that is written', [], "'token' is not known", "'token' is not known"],
  ])('%s', (_, path, message, expected) => {
    expect(told(path, message)).toBe(expected);
  });
});
