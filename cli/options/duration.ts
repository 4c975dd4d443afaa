import { readDuration as readAnyDuration } from '../../contract/duration.ts';
import { ValueProblem } from '../../contract/problem.ts';
import { LONGEST_TIMER } from '../../platform/clock.ts';
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

/** Reads a duration that a timer waits for: with a longer one it would go off at once. */
export function readDelay(text: string): Reading<number> {
  const read = readDuration(text);
  const isTooLong = 'value' in read && read.value > LONGEST_TIMER;
  return isTooLong ? { problem: `must be at most 596h, not '${text}'` } : read;
}
