import type { Path, Step } from '../../contract/problem.ts';

const STEP = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|\.?([\w$:-]+)/y;

/** Returns the path that a problem shows as text, such as `handler.config.filters[0]`; as far as it can be read. */
export function pathIn(text: string): Path {
  const path: Step[] = [];
  STEP.lastIndex = 0;
  for (let match = STEP.exec(text); match !== null; match = STEP.exec(text)) {
    const [, index, quoted, name] = match;
    if (index !== undefined) path.push(Number(index));
    else path.push(quoted === undefined ? name! : (JSON.parse(quoted) as string));
    if (STEP.lastIndex === text.length) break;
  }
  return path;
}
