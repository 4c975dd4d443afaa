import type { Runtime, Value } from '../../values/java-class.ts';
import { Throwable, Thrown } from '../../values/throwable.ts';
import { Plain } from '../encoding/encoding-classes.ts';
import type { DateElement, DateFields } from './date-element.ts';
import { formatDate, MissingField } from './date-format.ts';
import { DateTextError, parseDate } from './date-parse.ts';
import { floorDiv, localNanos, type TimeKind, TimeValue, timeFields, zoned } from './java-time.ts';
import { offsetOfLocal, offsetText } from './zone.ts';

const TIME = 'java.time.';
const NANOS = 1_000_000_000n;
const INVALID = 'could not be parsed: ';

export type Formatter = Plain<{
  readonly elements: readonly DateElement[];
  readonly zone: string | null;
  readonly isInstant: boolean;
  /** Rejects a day that the month does not have, instead of taking its last. */
  readonly isStrict: boolean;
}>;

export const formatter = (
  rt: Runtime,
  elements: readonly DateElement[],
  zone: string | null = null,
  isInstant = false,
  isStrict = false,
): Formatter => new Plain(rt, `${TIME}format.DateTimeFormatter`, { elements, zone, isInstant, isStrict });

export function written(rt: Runtime, time: TimeValue, { state }: Formatter): string {
  if (state.isInstant && time.kind.startsWith('Local'))
    rt.fail('java.time.temporal.UnsupportedTemporalTypeException', 'Unsupported field: InstantSeconds');
  if (state.isInstant) return new TimeValue(rt, 'Instant', time.instant).text();
  const shown = time.kind === 'Instant' && state.zone !== null ? zoned(rt, time.instant, state.zone) : time;
  const fields = shown.kind === 'Instant' ? {} : timeFields(shown);
  try {
    return formatDate(fields, state.elements);
  } catch (error) {
    if (error instanceof MissingField)
      return rt.fail('java.time.temporal.UnsupportedTemporalTypeException', error.message);
    throw error;
  }
}

function fieldsIn(rt: Runtime, text: Value, elements: readonly DateElement[], isStrict: boolean): DateFields {
  const source = rt.text(text);
  try {
    return parseDate(source, elements, false, isStrict);
  } catch (error) {
    if (!(error instanceof DateTextError)) throw error;
    if (!error.message.startsWith(INVALID))
      return rt.fail('java.time.format.DateTimeParseException', `Text '${source}' ${error.message}`);
    return invalid(rt, source, error.message.slice(INVALID.length));
  }
}

/** A text of the right form whose value does not exist. */
function invalid(rt: Runtime, source: string, problem: string): never {
  const cause = new Throwable(rt.class('java.time.DateTimeException'), problem);
  return rt.fail('java.time.format.DateTimeParseException', `Text '${source}' ${INVALID}${problem}`, cause);
}

/** Fields as the messages of java.time show them. */
function resolvedText(rt: Runtime, fields: DateFields): string {
  const { year, month, day, hour, offsetSeconds } = fields;
  const local = localNanos(fields);
  const hasDate = day !== undefined && month !== undefined && year !== undefined;
  const parts = [
    ...(hasDate ? [new TimeValue(rt, 'LocalDate', local).text()] : []),
    ...(hour === undefined ? [] : [new TimeValue(rt, 'LocalTime', local).text()]),
  ];
  const rest = [
    ...(hasDate || year === undefined ? [] : [`Year=${year}`]),
    ...(hasDate || month === undefined ? [] : [`MonthOfYear=${month}`]),
    ...(offsetSeconds === undefined ? [] : [`OffsetSeconds=${offsetSeconds}`]),
  ];
  return `{${rest.join(', ')}},ISO${parts.length === 0 ? '' : ` resolved to ${parts.join('T')}`}`;
}

/** Java reads an instant as a whole, and does not say which part of it is wrong. */
function instantFields(rt: Runtime, text: Value, elements: readonly DateElement[]): DateFields {
  try {
    return fieldsIn(rt, text, elements, true);
  } catch (error) {
    if (!(error instanceof Thrown) || !error.throwable.message?.includes(INVALID)) throw error;
    const { javaClass } = error.throwable;
    return rt.fail(javaClass.name, `Text '${rt.text(text)}' could not be parsed at index 0`);
  }
}

export function read(
  rt: Runtime,
  kind: TimeKind,
  text: Value,
  elements: readonly DateElement[],
  isStrict: boolean,
): TimeValue {
  if (text === null) rt.fail('java.lang.NullPointerException', 'text');
  const fields = kind === 'Instant' ? instantFields(rt, text, elements) : fieldsIn(rt, text, elements, isStrict);
  const needsDate = kind !== 'LocalTime';
  const needsTime = kind !== 'LocalDate';
  if ((needsDate && fields.day === undefined) || (needsTime && fields.hour === undefined)) {
    invalid(
      rt,
      rt.text(text),
      `Unable to obtain ${kind} from TemporalAccessor: ${resolvedText(rt, fields)} of type java.time.format.Parsed`,
    );
  }
  const local = localNanos(fields);
  if (kind === 'LocalDate' || kind === 'LocalTime' || kind === 'LocalDateTime') return new TimeValue(rt, kind, local);
  const offset =
    fields.offsetSeconds ??
    (fields.zone === undefined ? 0 : offsetOfLocal(fields.zone, Number(floorDiv(local, NANOS))));
  const instant = local - BigInt(offset) * NANOS;
  if (kind === 'Instant') return new TimeValue(rt, 'Instant', instant);
  if (kind === 'ZonedDateTime' && fields.zone !== undefined) return zoned(rt, instant, fields.zone);
  return new TimeValue(rt, kind, local, offset, offsetText(offset));
}
