import type { RotationOptions } from './file-options.ts';

/** Whether a file has reached its age, or a time of the day has passed since it was begun. */
export function rotationDue(
  { interval, times }: Pick<RotationOptions, 'interval' | 'times'>,
  begun: number,
  now: number,
): boolean {
  if (interval !== null && now - begun >= interval) return true;
  return times.some((time) => lastTime(time, now) > begun);
}

/** When it was last so long after midnight, in the time zone of the process. */
function lastTime(time: number, now: number): number {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return midnight + time <= now ? midnight + time : new Date(midnight - 1).setHours(0, 0, 0, 0) + time;
}
