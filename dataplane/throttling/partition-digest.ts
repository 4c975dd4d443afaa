import { hash } from 'node:crypto';
import { DIGEST_WORDS } from './bucket-memory.ts';

/** Longest key that needs no memory of its own to be digested. */
const USUAL_LENGTH = 512;

/** Makes digests of keys. Keys are taken as they are, code unit by code unit: what differs has another digest. */
export class PartitionDigest {
  private readonly scratch: Buffer;
  private readonly secretBytes: number;
  private readonly words = new Int32Array(DIGEST_WORDS);

  constructor(secret: Uint8Array) {
    this.secretBytes = secret.length;
    this.scratch = Buffer.alloc(secret.length + 2 * USUAL_LENGTH);
    this.scratch.set(secret);
  }

  /** The digest of a key, valid until the next call. */
  of(key: string): Int32Array {
    const length = this.secretBytes + 2 * key.length;
    let bytes = this.scratch;
    if (length > bytes.length) {
      bytes = Buffer.allocUnsafe(length);
      this.scratch.copy(bytes, 0, 0, this.secretBytes);
    }
    bytes.write(key, this.secretBytes, 'utf16le');
    const digest = hash('sha256', bytes.subarray(0, length), 'buffer');
    for (let i = 0; i < DIGEST_WORDS; i++) this.words[i] = digest.readInt32LE(4 * i);
    return this.words;
  }
}
