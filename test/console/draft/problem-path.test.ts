import { expect, it } from 'vitest';
import { pathIn } from '../../../console/draft/problem-path.ts';
import { pathText } from '../../../contract/problem.ts';

it.each([
  [[]],
  [['handler']],
  [['handler', 'config', 'filters', 0, 'type']],
  [['heap', 12, 'config', 'X-Api-Key', '0']],
  [['a.b', 'c "d" \\', 3, '', 'ä']],
])('reads the path %j as problems show it', (path) => {
  expect(pathIn(pathText(path))).toEqual(path);
});
