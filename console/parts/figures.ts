/** Returns a number with few digits: 0.42, 7.1, 38, 12.4k. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  if (value < 0.01) return '<0.01';
  if (value < 1) return value.toFixed(2);
  if (value < 10) return value.toFixed(1);
  if (value < 10_000) return String(Math.round(value));
  const [unit, name] = value < 10_000_000 ? [1000, 'k'] : [1_000_000, 'M'];
  const scaled = value / unit;
  return `${scaled < 100 ? scaled.toFixed(1) : Math.round(scaled)}${name}`;
}

/** Returns a count with few digits: 7, 9,412, 12.4k. */
export function shortCount(count: number): string {
  return count < 10_000 ? count.toLocaleString('en') : shortNumber(count);
}

/** Returns a time with its unit: 0.8 ms, 14 ms, 1.2 s. */
export function shortTime(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}

/** Returns a long time with its unit: 40 s, 12 min, 3 h, 9 d. */
export function shortAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

/** Returns a share of a whole: 0 %, <0.1 %, 2.5 %, 40 %. */
export function shortShare(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  const percent = (100 * part) / whole;
  if (percent < 0.1) return '<0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}

/** Returns a count with its noun. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
