/**
 * Words that one unit and the writer share about one service. The writer sets REFUSE; the unit counts events that it
 * could not put into the ring, for each topic by its place in the list of the service.
 */
const REFUSE = 0;
const FIRST_TOPIC = 1;
const WORDS_PER_TOPIC = 3;
const FULL = 0;
const TOO_LARGE = 1;
const OF_REFUSED = 2;

/** Events that a unit could not write since the last time they were taken. */
export interface UnwrittenEvents {
  readonly full: number;
  readonly tooLarge: number;
  /** Of requests that were refused for want of room. */
  readonly ofRefused: number;
}

export class AuditState {
  readonly buffer: SharedArrayBuffer;
  private readonly words: Int32Array;

  /** @param buffer that of the other side; without it a new one */
  constructor(topics: number, buffer?: SharedArrayBuffer) {
    const words = FIRST_TOPIC + topics * WORDS_PER_TOPIC;
    this.buffer = buffer ?? new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT);
    this.words = new Int32Array(this.buffer);
  }

  /** Whether a handler that must not lose events is full: requests are refused until it has room. */
  get refusesTraffic(): boolean {
    return Atomics.load(this.words, REFUSE) !== 0;
  }

  set refusesTraffic(refuses: boolean) {
    Atomics.store(this.words, REFUSE, refuses ? 1 : 0);
  }

  /** The ring had no room for an event. */
  countFull(topic: number): void {
    Atomics.add(this.words, FIRST_TOPIC + topic * WORDS_PER_TOPIC + FULL, 1);
  }

  /** An event was larger than a record may be. */
  countTooLarge(topic: number): void {
    Atomics.add(this.words, FIRST_TOPIC + topic * WORDS_PER_TOPIC + TOO_LARGE, 1);
  }

  /** An event of a request that was refused for want of room was not written. */
  countOfRefused(topic: number): void {
    Atomics.add(this.words, FIRST_TOPIC + topic * WORDS_PER_TOPIC + OF_REFUSED, 1);
  }

  /** Takes the counts of a topic: the next call returns only what was counted since. */
  take(topic: number): UnwrittenEvents {
    const at = FIRST_TOPIC + topic * WORDS_PER_TOPIC;
    return {
      full: Atomics.exchange(this.words, at + FULL, 0),
      tooLarge: Atomics.exchange(this.words, at + TOO_LARGE, 0),
      ofRefused: Atomics.exchange(this.words, at + OF_REFUSED, 0),
    };
  }
}
