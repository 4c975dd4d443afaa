import { inTurns } from './bounded-work.ts';
import { WrongPassword } from './keystore-problem.ts';

const BLOCK = 8;
/** Some milliseconds. */
const BLOCKS_OF_A_TURN = 4000;

/** The permutation that RFC 2268 takes from the digits of pi. */
const PI_TABLE = Buffer.from(
  'd978f9c419ddb5ed28e9fd794aa0d89dc67e37832b76538e624c6488448bfba2' +
    '179a59f587b34f1361456d8d09817d32bd8f40eb86b77b0bf09521225c6b4e82' +
    '54d66593ce60b21c7356c014a78cf1dc1275ca1f3bbee4d1423dd430a33cb626' +
    '6fbf0eda4669075727f21d9bbc944303f811c7f690ef3ee706c3d52fc8661ed7' +
    '08e8eade8052eef784aa72ac354d6a2a961ad2715a1549744b9fd05e0418a4ec' +
    'c2e0416e0f51cbcc2491af50a1f47039997c3a8523b8b47afc02365b25559731' +
    '2d5dfa98e38a92ae05df2910676cbac9d300e6cfe19ea82c6316013f58e289a9' +
    '0d38341bab33ffb0bb480c5fb9b1cd2ec5f3db47e5a59c770aa62068fe7fc1ad',
  'hex',
);

/**
 * Decrypts RC2 (RFC 2268) in CBC mode with the padding of PKCS #7, with a key of which every bit counts. OpenSSL has it
 * only where its old algorithms are loaded, and the certificates of most older PKCS #12 files are encrypted with it.
 * @throws WrongPassword
 */
export async function decryptRc2(data: Buffer, key: Buffer, iv: Buffer): Promise<Buffer> {
  if (data.length === 0 || data.length % BLOCK !== 0) throw new WrongPassword();
  const words = expanded(key);
  const plain = Buffer.alloc(data.length);
  const decryptBlock = (index: number): void => {
    const at = index * BLOCK;
    blockDecrypted(data, at, words, plain);
    for (let byte = 0; byte < BLOCK; byte++) plain[at + byte]! ^= index === 0 ? iv[byte]! : data[at + byte - BLOCK]!;
  };
  await inTurns(data.length / BLOCK, decryptBlock, BLOCKS_OF_A_TURN);
  const padding = plain.at(-1)!;
  if (padding === 0 || padding > BLOCK) throw new WrongPassword();
  if (plain.subarray(-padding).some((byte) => byte !== padding)) throw new WrongPassword();
  return plain.subarray(0, -padding);
}

/** The 64 words that a key stands for; as many bits of it count as it has. */
function expanded(key: Buffer): Uint16Array {
  const bytes = Buffer.alloc(128);
  key.copy(bytes);
  for (let at = key.length; at < 128; at++) bytes[at] = PI_TABLE[(bytes[at - 1]! + bytes[at - key.length]!) & 0xff]!;
  const first = 128 - key.length;
  bytes[first] = PI_TABLE[bytes[first]!]!;
  for (let at = first - 1; at >= 0; at--) bytes[at] = PI_TABLE[bytes[at + 1]! ^ bytes[at + key.length]!]!;
  return Uint16Array.from({ length: 64 }, (_, word) => bytes.readUInt16LE(word * 2));
}

function blockDecrypted(data: Buffer, at: number, key: Uint16Array, plain: Buffer): void {
  let a = data.readUInt16LE(at);
  let b = data.readUInt16LE(at + 2);
  let c = data.readUInt16LE(at + 4);
  let d = data.readUInt16LE(at + 6);
  for (let round = 15; round >= 0; round--) {
    const k = round * 4;
    d = (rotated(d, 5) - key[k + 3]! - (c & b) - (~c & a)) & 0xffff;
    c = (rotated(c, 3) - key[k + 2]! - (b & a) - (~b & d)) & 0xffff;
    b = (rotated(b, 2) - key[k + 1]! - (a & d) - (~a & c)) & 0xffff;
    a = (rotated(a, 1) - key[k]! - (d & c) - (~d & b)) & 0xffff;
    if (round === 11 || round === 5) {
      d = (d - key[c & 63]!) & 0xffff;
      c = (c - key[b & 63]!) & 0xffff;
      b = (b - key[a & 63]!) & 0xffff;
      a = (a - key[d & 63]!) & 0xffff;
    }
  }
  plain.writeUInt16LE(a, at);
  plain.writeUInt16LE(b, at + 2);
  plain.writeUInt16LE(c, at + 4);
  plain.writeUInt16LE(d, at + 6);
}

/** A word turned to the right. */
function rotated(word: number, bits: number): number {
  return ((word >>> bits) | (word << (16 - bits))) & 0xffff;
}
