const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const WHOLE = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Returns the time of the day where the reader is. */
export function clockTime(at: number): string {
  return CLOCK.format(at);
}

/** Returns a day and time where the reader is. */
export function dayAndTime(at: Date): string {
  return WHOLE.format(at);
}

/** Returns the name of the time zone that times are shown in. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
