import { inTurns } from './bounded-work.ts';

/** Some milliseconds. */
const BYTES_OF_A_TURN = 100_000;

/** Decrypts RC4, which OpenSSL has only where its old algorithms are loaded. */
export async function decryptRc4(data: Buffer, key: Buffer): Promise<Buffer> {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (one: number, other: number): void => {
    const kept = state[one]!;
    state[one] = state[other]!;
    state[other] = kept;
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + state[i]! + key[i % key.length]!) & 0xff;
    swap(i, j);
  }
  const plain = Buffer.alloc(data.length);
  let i = 0;
  let j = 0;
  const decryptByte = (at: number): void => {
    i = (i + 1) & 0xff;
    j = (j + state[i]!) & 0xff;
    swap(i, j);
    plain[at] = data[at]! ^ state[(state[i]! + state[j]!) & 0xff]!;
  };
  await inTurns(data.length, decryptByte, BYTES_OF_A_TURN);
  return plain;
}
