import { closeSync, fdatasync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AccountTotals } from '../writer/handler-accounts.ts';

/** What the file holds: totals, and up to where the spool was delivered. */
export interface StoredAccounts {
  readonly totals: AccountTotals;
  readonly acknowledged: number;
}

const SLOT_BYTES = 512;
const VERSION = 1;
const HEAD_NUMBERS = 6;

/**
 * Totals of a handler beside its spool. Two slots are written in turn, each in one piece and with a checksum: whenever
 * the process is killed, one of them is whole.
 */
export class SpoolAccounts {
  /** What was there when it was opened. */
  readonly found: StoredAccounts | null;
  private readonly file: number;
  private sequence: number;

  /** @throws when the file cannot be opened */
  constructor(path: string) {
    this.file = openSync(path, 'a+', 0o600);
    closeSync(this.file);
    this.file = openSync(path, 'r+');
    const slots = [0, 1].map((slot) => readSlot(this.file, slot)).filter((slot) => slot !== null);
    const newest = slots.sort((a, b) => b.sequence - a.sequence)[0];
    this.found = newest?.stored ?? null;
    this.sequence = newest?.sequence ?? 0;
  }

  /** @throws when it cannot be written */
  write({ totals: { emitted, delivered, dropped }, acknowledged }: StoredAccounts): void {
    this.sequence++;
    const numbers = [VERSION, this.sequence, emitted, delivered, acknowledged, dropped.length, ...dropped];
    const slot = Buffer.alloc(SLOT_BYTES);
    for (const [at, number] of numbers.entries()) slot.writeDoubleLE(number, 8 + at * 8);
    slot.writeUInt32LE(crc32(slot.subarray(8)), 0);
    writeSync(this.file, slot, 0, SLOT_BYTES, (this.sequence & 1) * SLOT_BYTES);
  }

  async close(): Promise<void> {
    try {
      await promisify(fdatasync)(this.file);
    } finally {
      closeSync(this.file);
    }
  }
}

function readSlot(file: number, slot: number): { sequence: number; stored: StoredAccounts } | null {
  const bytes = Buffer.alloc(SLOT_BYTES);
  if (readSync(file, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES) < SLOT_BYTES) return null;
  if (crc32(bytes.subarray(8)) !== bytes.readUInt32LE(0)) return null;
  const number = (at: number): number => bytes.readDoubleLE(8 + at * 8);
  if (number(0) !== VERSION) return null;
  const dropped = Array.from({ length: number(5) }, (_, at) => number(HEAD_NUMBERS + at));
  const totals = { emitted: number(2), delivered: number(3), dropped };
  return { sequence: number(1), stored: { totals, acknowledged: number(4) } };
}
