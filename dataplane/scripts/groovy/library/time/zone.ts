/** A text that is no id of a time zone. */
export class ZoneError extends Error {}

const offsetId = /^(?:(UTC|GMT|UT))?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?$/;

const formats = new Map<string, Intl.DateTimeFormat>();
const MOST_FORMATS = 64;

/** Seconds east of Greenwich where an id is an offset; null where it names a region. @throws ZoneError */
export function fixedOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'UTC' || zone === 'GMT' || zone === 'UT') return 0;
  const match = offsetId.exec(zone);
  if (match === null) return null;
  const [, , sign, hours, minutes = '0', seconds = '0'] = match;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (Number(minutes) > 59 || Number(seconds) > 59 || total > 18 * 3600) throw new ZoneError(zone);
  return sign === '-' ? -total : total;
}

export function isZoneId(zone: string): boolean {
  try {
    return fixedOffset(zone) !== null || zoneFormat(zone) !== null;
  } catch {
    return false;
  }
}

/** Seconds that a zone is ahead of UTC at an instant. @throws ZoneError */
export function offsetAt(zone: string, epochSecond: number): number {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return fixed;
  const parts = new Map(
    zoneFormat(zone)
      .formatToParts(epochSecond * 1000)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const local =
    Date.UTC(
      parts.get('year')!,
      parts.get('month')! - 1,
      parts.get('day')!,
      parts.get('hour')! % 24,
      parts.get('minute')!,
      parts.get('second')!,
    ) / 1000;
  return local - epochSecond;
}

/** Offset of a local time: that of before where a local time occurs twice or not at all, as java.time chooses. */
export function offsetOfLocal(zone: string, localSecond: number): number {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return fixed;
  const before = offsetAt(zone, localSecond - 86_400);
  const after = offsetAt(zone, localSecond + 86_400);
  if (before === after || offsetAt(zone, localSecond - before) === before) return before;
  return offsetAt(zone, localSecond - after) === after ? after : before;
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US-u-ca-iso8601', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new ZoneError(zone);
  }
  if (formats.size >= MOST_FORMATS) formats.clear();
  formats.set(zone, format);
  return format;
}

const central = ['CET', 'CEST', 'Central European Standard Time', 'Central European Summer Time'] as const;

/** Names that Intl does not abbreviate in English. */
const shortNames: ReadonlyMap<string, readonly [string, string, string, string]> = new Map([
  ...[
    'Berlin',
    'Paris',
    'Madrid',
    'Rome',
    'Vienna',
    'Zurich',
    'Amsterdam',
    'Brussels',
    'Prague',
    'Warsaw',
    'Oslo',
    'Stockholm',
    'Copenhagen',
    'Budapest',
  ].map((city): [string, readonly [string, string, string, string]] => [`Europe/${city}`, central]),
  ['Europe/London', ['GMT', 'BST', 'Greenwich Mean Time', 'British Summer Time']],
  ['Asia/Tokyo', ['JST', 'JST', 'Japan Standard Time', 'Japan Standard Time']],
  ['Asia/Kolkata', ['IST', 'IST', 'India Standard Time', 'India Standard Time']],
]);

/** Name of a zone as Java writes it in English; null where it is not known here. */
export function zoneName(zone: string, epochSecond: number, full: boolean): string | null {
  if (zone === 'Z') return full ? 'Z' : 'Z';
  if (zone === 'UTC') return full ? 'Coordinated Universal Time' : 'UTC';
  if (zone === 'GMT') return full ? 'Greenwich Mean Time' : 'GMT';
  if (fixedOffset(zone) !== null) return zone;
  const names = shortNames.get(zone);
  if (names !== undefined) {
    const winter = Math.min(offsetAt(zone, 1_704_067_200), offsetAt(zone, 1_719_792_000));
    const isSummer = offsetAt(zone, epochSecond) > winter;
    return names[(full ? 2 : 0) + (isSummer ? 1 : 0)]!;
  }
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: full ? 'long' : 'short' })
    .formatToParts(epochSecond * 1000)
    .find(({ type }) => type === 'timeZoneName')?.value;
  return name === undefined || /\d/.test(name) ? null : name;
}

/** `+HH:mm`, with seconds where there are some; `Z` for none. */
export function offsetText(seconds: number, zero = 'Z'): string {
  if (seconds === 0) return zero;
  const [hours, minutes, rest] = clockOf(seconds);
  return `${seconds < 0 ? '-' : '+'}${hours}:${minutes}${rest === '00' ? '' : `:${rest}`}`;
}

/** Hours, minutes and seconds with two digits each, without the sign. */
export function clockOf(seconds: number): [string, string, string] {
  const size = Math.abs(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return [two(Math.floor(size / 3600)), two(Math.floor(size / 60) % 60), two(size % 60)];
}
