import { lock, unlock } from '../../heap/shared-lock.ts';
import type { UnitLives } from '../../heap/unit-lives.ts';
import { HealthRecord, RECORD_WORDS, WORD } from './health-record.ts';
import { mixed, textHash } from './text-hash.ts';

/** Words before the records: the version, a lock, and for each unit which of its lives has taken records. */
const VERSION = 0;
const LOCK = 1;
const LIVES = 2;
/** Units that are told apart; records that others take are theirs for good. */
const UNITS = 31;
const OF_OTHERS = 1 << UNITS;
const HEADER = LIVES + UNITS;
const SALT = 0x2545f491;

/** How often each record was taken by the objects of one unit, which all run in this thread. */
const takenHere = new WeakMap<SharedArrayBuffer, Map<number, Uint32Array>>();

/** Health of the endpoints of one Backends, in memory that all units of the plane share. */
export class HealthTable {
  private readonly words: Int32Array;
  private readonly capacity: number;
  private readonly lives: UnitLives | null;
  private readonly bit: number;
  private readonly taken: Uint32Array;

  static bytes(capacity: number): number {
    return (HEADER + capacity * RECORD_WORDS) * Int32Array.BYTES_PER_ELEMENT;
  }

  /** @param unit number of this unit, whose records are free once its life is over */
  constructor(memory: SharedArrayBuffer, unit = 0, lives: UnitLives | null = null) {
    this.words = new Int32Array(memory);
    this.capacity = Math.floor((this.words.length - HEADER) / RECORD_WORDS);
    this.lives = lives;
    this.bit = unit < UNITS ? 1 << unit : OF_OTHERS;
    const byUnit = takenHere.get(memory) ?? new Map<number, Uint32Array>();
    takenHere.set(memory, byUnit);
    this.taken = byUnit.get(unit) ?? new Uint32Array(this.capacity);
    byUnit.set(unit, this.taken);
    if (unit < UNITS) this.locked(() => this.begin(unit));
  }

  /** Number that changes whenever an endpoint is ejected or returns. */
  get version(): number {
    return Atomics.load(this.words, VERSION);
  }

  changed(): void {
    Atomics.add(this.words, VERSION, 1);
  }

  /** The record of an endpoint; units take the same one for the same key. Where none is free, the unit has one of its own. */
  take(key: string): HealthRecord {
    const hash = textHash(key) | 0 || 1;
    const check = mixed(textHash(`${key} `) ^ SALT) | 0; // two keys with the same hash must not share a record
    const index = this.locked(() => this.find(hash, check));
    if (index === null) return new HealthRecord(new Int32Array(RECORD_WORDS), 0, () => {});
    return new HealthRecord(this.words, this.at(index), () => this.locked(() => this.giveBack(index)));
  }

  private at(index: number): number {
    return HEADER + index * RECORD_WORDS;
  }

  /** Whoever changes who uses a record holds the lock: nobody else can take it for another endpoint meanwhile. */
  private locked<T>(change: () => T): T {
    const held = lock(this.words, LOCK);
    try {
      return change();
    } finally {
      unlock(this.words, LOCK, held);
    }
  }

  private find(hash: number, check: number): number | null {
    const index = this.known(hash, check) ?? this.claim(hash, check);
    if (index === null) return null;
    this.taken[index]!++;
    this.words[this.at(index) + WORD.users]! |= this.bit;
    return index;
  }

  private giveBack(index: number): void {
    this.taken[index]!--;
    if (this.taken[index] === 0 && this.bit !== OF_OTHERS) this.words[this.at(index) + WORD.users]! &= ~this.bit;
  }

  /** A record is at the place of its hash or behind it, with none between that was never used. */
  private known(hash: number, check: number): number | null {
    for (let i = 0; i < this.capacity; i++) {
      const index = this.place(hash, i);
      const at = this.at(index);
      const found = this.words[at + WORD.hash]!;
      if (found === hash && this.words[at + WORD.check] === check) return index;
      if (found === 0) return null;
    }
    return null;
  }

  private place(hash: number, offset: number): number {
    return ((hash >>> 0) + offset) % this.capacity;
  }

  /** Takes a record that was never used, or that nobody uses any more. */
  private claim(hash: number, check: number): number | null {
    const index = this.unused(hash) ?? (this.forgetEnded() ? this.unused(hash) : null);
    if (index === null) return null;
    const at = this.at(index);
    for (let word = 0; word < RECORD_WORDS; word++) Atomics.store(this.words, at + word, 0);
    this.words[at + WORD.hash] = hash;
    this.words[at + WORD.check] = check;
    return index;
  }

  private unused(hash: number): number | null {
    for (let i = 0; i < this.capacity; i++) {
      const index = this.place(hash, i);
      if (this.words[this.at(index) + WORD.users] === 0) return index;
    }
    return null;
  }

  /** Another life of this unit may have ended with records in its hands. */
  private begin(unit: number): void {
    const life = this.lives?.current(unit) ?? 0;
    if (this.words[LIVES + unit] !== life) this.release(1 << unit);
    this.words[LIVES + unit] = life;
  }

  /** Frees the records of units that have ended. @returns whether there are such units */
  private forgetEnded(): boolean {
    let ended = 0;
    for (let unit = 0; unit < UNITS; unit++) {
      if (this.lives?.isOver(unit, this.words[LIVES + unit]!) === true) ended |= 1 << unit;
    }
    if (ended !== 0) this.release(ended);
    return ended !== 0;
  }

  private release(units: number): void {
    for (let index = 0; index < this.capacity; index++) this.words[this.at(index) + WORD.users]! &= ~units;
  }
}
