import type { KeyObject } from 'node:crypto';
import { lock, unlock } from '../heap/shared-lock.ts';
import {
  BLOCK_BYTES,
  BLOCK_CONTENT,
  DIGEST_WORDS,
  HEADER,
  LAST_SWEEP,
  NUMBER,
  type SessionLimits,
  SessionMemory,
  SLOT_NUMBERS,
  SLOT_WORDS,
  WORD,
} from './session-memory.ts';

/** A session as the memory holds it. */
export interface HeldSession {
  readonly text: string;
  readonly beganAt: number;
  readonly version: number;
}

/** How long sessions live, in milliseconds. */
export interface SessionLives {
  /** Since it was last opened or saved. */
  readonly idle: number;
  readonly absolute: number;
}

/** What came of a save. `changed`: another exchange saved in between. `gone`: the session was ended or is over. */
export type Saved = 'saved' | 'changed' | 'gone' | 'full';

/** Slots that are looked at with every new session, so that memory of those that are over is used again. */
const SWEPT_AT_ONCE = 16;
/** Milliseconds between two sweeps of everything because there is no room. */
const SWEEP_PAUSE = 1000;

/**
 * Sessions by id, which all threads that hold the memory share. Everything happens under one lock, which is held while
 * one session is copied.
 */
export class SessionTable {
  private readonly memory: SessionMemory;
  private readonly lives: SessionLives;
  private readonly now: () => number;

  constructor(
    buffer: SharedArrayBuffer,
    limits: SessionLimits,
    lives: SessionLives,
    now: () => number = () => Date.now(),
  ) {
    this.memory = new SessionMemory(buffer, limits);
    this.lives = lives;
    this.now = now;
  }

  /** Number of sessions, those that are over and not swept yet included. */
  get size(): number {
    return Atomics.load(this.memory.header, HEADER.live);
  }

  /** A key for contents beside the sessions, the same for all threads that hold the memory. */
  get sealingKey(): KeyObject {
    return this.memory.derivedKey('sealing');
  }

  /** The session of this id, which counts as used now; null when there is none or it is over. */
  find(id: string): HeldSession | null {
    return this.locked(() => {
      const slot = this.slotOf(id);
      return slot === 0 ? null : this.held(slot);
    });
  }

  /** @returns false when there is no room */
  create(id: string, text: string): boolean {
    const bytes = Buffer.from(text);
    return this.locked(() => {
      this.sweep(SWEPT_AT_ONCE);
      return this.placed(id, bytes) || (this.sweepAll() && this.placed(id, bytes));
    });
  }

  /** Creates what is not there yet, in one step. @returns what is there already */
  add(id: string, text: string): 'added' | 'full' | HeldSession {
    const bytes = Buffer.from(text);
    return this.locked(() => {
      const slot = this.slotOf(id);
      if (slot !== 0) return this.held(slot);
      this.sweep(SWEPT_AT_ONCE);
      const isPlaced = this.placed(id, bytes) || (this.sweepAll() && this.placed(id, bytes));
      return isPlaced ? 'added' : 'full';
    });
  }

  /** Replaces the content of a session that is still of this version. */
  replace(id: string, version: number, text: string): Saved {
    const bytes = Buffer.from(text);
    return this.locked(() => {
      const slot = this.slotOf(id);
      if (slot === 0) return 'gone';
      const { words, numbers } = this.memory;
      if (words[word(slot, WORD.version)] !== version) return 'changed';
      const block = this.write(bytes);
      if (block === 0) return 'full';
      const before = words[word(slot, WORD.block)]!;
      words[word(slot, WORD.block)] = block;
      words[word(slot, WORD.length)] = bytes.length;
      words[word(slot, WORD.version)] = (version + 1) | 0;
      numbers[number(slot, NUMBER.usedAt)] = this.now();
      this.release(before);
      return 'saved';
    });
  }

  /** Gives a session that is still of this version another id, other content and a new life. */
  renew(id: string, version: number, freshId: string, text: string): Saved {
    const bytes = Buffer.from(text);
    return this.locked(() => {
      const slot = this.slotOf(id);
      if (slot === 0) return 'gone';
      if (this.memory.words[word(slot, WORD.version)] !== version) return 'changed';
      const block = this.write(bytes);
      if (block === 0) return 'full';
      this.unlink(slot);
      this.release(this.memory.words[word(slot, WORD.block)]!);
      this.fill(slot, freshId, block, bytes.length, (version + 1) | 0);
      return 'saved';
    });
  }

  /** Ends a session; where a version is given, only one that is still of it. */
  remove(id: string, version?: number): Saved {
    return this.locked(() => {
      const slot = this.slotOf(id);
      if (slot === 0) return 'gone';
      if (version !== undefined && this.memory.words[word(slot, WORD.version)] !== version) return 'changed';
      this.drop(slot);
      return 'saved';
    });
  }

  private locked<T>(work: () => T): T {
    const { header } = this.memory;
    const held = lock(header, HEADER.lock);
    try {
      return work();
    } finally {
      unlock(header, HEADER.lock, held);
    }
  }

  // ---- under the lock

  private slotOf(id: string): number {
    const { index, words, limits } = this.memory;
    const digest = this.memory.digest(id);
    let slot = index[digest[0]! & (index.length - 1)]!;
    // a thread that ended in the middle of a change may leave a circle
    for (let step = 0; slot !== 0 && step < limits.sessions; step++) {
      if (this.hasDigest(slot, digest)) return this.isOver(slot) ? 0 : slot;
      slot = words[word(slot, WORD.next)]!;
    }
    return 0;
  }

  /** The session in a slot, which counts as used now. */
  private held(slot: number): HeldSession {
    const { words, numbers } = this.memory;
    numbers[number(slot, NUMBER.usedAt)] = this.now();
    return {
      text: this.read(slot),
      beganAt: numbers[number(slot, NUMBER.beganAt)]!,
      version: words[word(slot, WORD.version)]!,
    };
  }

  private hasDigest(slot: number, digest: Int32Array): boolean {
    const from = word(slot, WORD.digest);
    for (let at = 0; at < DIGEST_WORDS; at++) if (this.memory.words[from + at] !== digest[at]) return false;
    return true;
  }

  private isOver(slot: number): boolean {
    const { numbers } = this.memory;
    const now = this.now();
    const { idle, absolute } = this.lives;
    return (
      now - numbers[number(slot, NUMBER.usedAt)]! >= idle || now - numbers[number(slot, NUMBER.beganAt)]! >= absolute
    );
  }

  private placed(id: string, bytes: Buffer): boolean {
    const { header, words, limits } = this.memory;
    const isRoom = header[HEADER.freeSlot] !== 0 || header[HEADER.madeSlots]! < limits.sessions;
    const block = isRoom ? this.write(bytes) : 0;
    if (block === 0) return false;
    let slot = header[HEADER.freeSlot]!;
    if (slot !== 0) header[HEADER.freeSlot] = words[word(slot, WORD.next)]!;
    else slot = ++header[HEADER.madeSlots]!;
    this.fill(slot, id, block, bytes.length);
    header[HEADER.live]!++;
    return true;
  }

  /** Makes a slot that is in no list the one of a session that begins now. */
  private fill(slot: number, id: string, block: number, length: number, version = 1): void {
    const { words, numbers, index } = this.memory;
    const digest = this.memory.digest(id);
    const place = digest[0]! & (index.length - 1);
    words.set(digest, word(slot, WORD.digest));
    words[word(slot, WORD.block)] = block;
    words[word(slot, WORD.length)] = length;
    words[word(slot, WORD.version)] = version;
    words[word(slot, WORD.next)] = index[place]!;
    const now = this.now();
    numbers[number(slot, NUMBER.beganAt)] = now;
    numbers[number(slot, NUMBER.usedAt)] = now;
    index[place] = slot;
  }

  private drop(slot: number): void {
    const { header, words } = this.memory;
    this.unlink(slot);
    this.release(words[word(slot, WORD.block)]!);
    words[word(slot, WORD.block)] = 0;
    words[word(slot, WORD.next)] = header[HEADER.freeSlot]!;
    header[HEADER.freeSlot] = slot;
    header[HEADER.live]!--;
  }

  /** Takes a slot out of the list that its digest leads to. */
  private unlink(slot: number): void {
    const { words, index, limits } = this.memory;
    const place = words[word(slot, WORD.digest)]! & (index.length - 1);
    const next = words[word(slot, WORD.next)]!;
    if (index[place] === slot) {
      index[place] = next;
      return;
    }
    let before = index[place]!;
    for (let step = 0; before !== 0 && step < limits.sessions; step++) {
      const following = words[word(before, WORD.next)]!;
      if (following === slot) {
        words[word(before, WORD.next)] = next;
        return;
      }
      before = following;
    }
  }

  /** Drops those of the next slots whose sessions are over. */
  private sweep(count: number): void {
    const { header, words } = this.memory;
    const made = header[HEADER.madeSlots]!;
    for (let left = Math.min(count, made); left > 0; left--) {
      const slot = (header[HEADER.swept]! % made) + 1;
      header[HEADER.swept] = slot;
      if (words[word(slot, WORD.block)] !== 0 && this.isOver(slot)) this.drop(slot);
    }
  }

  /** @returns false where that was done a moment ago */
  private sweepAll(): boolean {
    const { header, times } = this.memory;
    const now = this.now();
    if (now - times[LAST_SWEEP]! < SWEEP_PAUSE) return false;
    times[LAST_SWEEP] = now;
    this.sweep(header[HEADER.madeSlots]!);
    return true;
  }

  private read(slot: number): string {
    const { words, content, blocks } = this.memory;
    const length = words[word(slot, WORD.length)]!;
    const bytes = Buffer.allocUnsafe(Math.min(length, blocks * BLOCK_CONTENT));
    let block = words[word(slot, WORD.block)]!;
    for (let at = 0; at < bytes.length && block !== 0; at += BLOCK_CONTENT) {
      const from = (block - 1) * BLOCK_BYTES + 4;
      bytes.set(content.subarray(from, from + Math.min(BLOCK_CONTENT, bytes.length - at)), at);
      block = this.memory.nextOf(block);
    }
    return bytes.toString();
  }

  /** Writes content into free blocks. @returns the first, or 0 when there are not enough */
  private write(bytes: Buffer): number {
    const { header, content, blocks } = this.memory;
    let first = 0;
    const count = Math.max(1, Math.ceil(bytes.length / BLOCK_CONTENT));
    for (let part = count - 1; part >= 0; part--) {
      let block = header[HEADER.freeBlock]!;
      if (block !== 0) header[HEADER.freeBlock] = this.memory.nextOf(block);
      else if (header[HEADER.madeBlocks]! < blocks) block = ++header[HEADER.madeBlocks]!;
      else {
        this.release(first);
        return 0;
      }
      content.set(bytes.subarray(part * BLOCK_CONTENT, (part + 1) * BLOCK_CONTENT), (block - 1) * BLOCK_BYTES + 4);
      this.memory.setNext(block, first);
      first = block;
    }
    return first;
  }

  /** Gives blocks back, and wipes what they held. */
  private release(first: number): void {
    const { header, content, blocks } = this.memory;
    let block = first;
    for (let step = 0; block !== 0 && step < blocks; step++) {
      const next = this.memory.nextOf(block);
      content.fill(0, (block - 1) * BLOCK_BYTES + 4, block * BLOCK_BYTES);
      this.memory.setNext(block, header[HEADER.freeBlock]!);
      header[HEADER.freeBlock] = block;
      block = next;
    }
  }
}

function word(slot: number, at: number): number {
  return (slot - 1) * SLOT_WORDS + at;
}

function number(slot: number, at: number): number {
  return (slot - 1) * SLOT_NUMBERS + at;
}
