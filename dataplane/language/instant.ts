import { longOf } from '../../contract/expression/coercion.ts';
import type { Shape } from '../../contract/expression/language.ts';
import { EvaluationError, type Value } from '../../contract/expression/value.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** What a date can say, in milliseconds from 1970 on. */
const FARTHEST = 8.64e15;

/** A moment, as `now` is one. */
export class Instant {
  readonly millis: number;

  constructor(millis: number) {
    if (Math.abs(millis) > FARTHEST) throw new EvaluationError('that moment is too far away');
    this.millis = millis;
  }
}

export const instantShape: Shape<Instant> = {
  name: 'instant',
  properties: {
    epochMillis: { get: ({ millis }) => BigInt(millis), kind: 'number' },
    epochSeconds: { get: ({ millis }) => BigInt(Math.floor(millis / SECOND)), kind: 'number' },
    rfc1123: { get: ({ millis }) => new Date(millis).toUTCString(), kind: 'text' },
  },
  methods: {
    plusDays: later(DAY),
    plusHours: later(HOUR),
    plusMinutes: later(MINUTE),
    plusSeconds: later(SECOND),
    plusMillis: later(1),
    minusDays: later(-DAY),
    minusHours: later(-HOUR),
    minusMinutes: later(-MINUTE),
    minusSeconds: later(-SECOND),
    minusMillis: later(-1),
  },
  text: ({ millis }) => new Date(millis).toISOString(),
};

function later(unit: number): (instant: Instant, given: readonly Value[]) => Value {
  return (instant, given) => {
    if (given.length !== 1) throw new EvaluationError('a moment is moved by one number');
    return new Instant(instant.millis + unit * Number(longOf(given[0]!)));
  };
}
