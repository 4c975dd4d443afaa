import { readDuration as readAnyDuration } from '../../contract/duration.ts';
import { ValueProblem } from '../../contract/problem.ts';
import type { Reading } from '../commands/command.ts';

/** Reads `500ms`, `30s`, `5m` or `1h` as milliseconds; a command line has no use for the other forms of a document. */
export function readDuration(text: string): Reading<number> {
  if (!/^\d+ ?(?:ms|s|m|h)$/.test(text)) {
    return { problem: `must be a duration such as 500ms, 30s, 5m or 1h, not '${text}'` };
  }
  try {
    return { value: readAnyDuration(text).milliseconds };
  } catch (error) {
    if (error instanceof ValueProblem) return { problem: error.message };
    throw error;
  }
}

/** The longest that a timer can wait: a longer one would go off at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** Reads a duration that somebody will wait for. */
export function readDelay(text: string): Reading<number> {
  const read = readDuration(text);
  const isTooLong = 'value' in read && read.value > LONGEST_DELAY;
  return isTooLong ? { problem: `must be at most 596h, not '${text}'` } : read;
}
