import {
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { decodeBase64url } from './base64url.ts';
import { contentEncryption } from './encryption-algorithm.ts';

/**
 * Encrypts and decrypts JWEs of one header under one key with `dir` (RFC 7518, section 4.5), without promises: the
 * gateway reads its own tokens with it, in the middle of a request.
 */
export interface DirectCipher {
  /** The token in compact serialisation; `header` is the protected header as base64url. */
  seal(header: string, plaintext: Buffer): string;
  /** The plaintext of a token whose protected header has been compared already; null when it does not open. */
  open(header: string, token: string): Buffer | null;
  /** A cipher under a key derived from this one (RFC 5869), so that no use of one key weakens the other. */
  derived(label: string): DirectCipher;
}

/** @returns null for a key of another type or length than `enc` has. */
export function directCipher(enc: string, key: KeyObject): DirectCipher | null {
  const content = contentEncryption(enc);
  if (content === undefined || key.type !== 'secret' || key.symmetricKeySize !== content.keyLength) return null;
  const { ivLength, tagLength } = content;
  const { encrypt, decrypt } = enc.endsWith('GCM') ? gcm(key, tagLength) : cbc(key, enc, tagLength);
  return {
    seal(header, plaintext) {
      const iv = randomBytes(ivLength);
      const { ciphertext, tag } = encrypt(iv, Buffer.from(header, 'latin1'), plaintext);
      const texts = [iv, ciphertext, tag].map((bytes) => bytes.toString('base64url'));
      return `${header}..${texts.join('.')}`;
    },
    open(header, token) {
      const parts = token.slice(header.length).split('.', 6);
      // header, an empty encrypted key, and the three that are decrypted
      if (parts.length !== 5 || parts[0] !== '' || parts[1] !== '') return null;
      const iv = decodeBase64url(parts[2]!);
      const ciphertext = decodeBase64url(parts[3]!);
      const tag = decodeBase64url(parts[4]!);
      if (iv?.length !== ivLength || ciphertext === null || tag?.length !== tagLength) return null;
      try {
        return decrypt(iv, Buffer.from(header, 'latin1'), ciphertext, tag);
      } catch {
        return null; // the reason would help an attacker who tries keys
      }
    },
    derived(label) {
      const bytes = Buffer.from(hkdfSync('sha256', key, '', label, content.keyLength));
      return directCipher(enc, createSecretKey(bytes))!;
    },
  };
}

interface Sealed {
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

interface ContentCipher {
  encrypt(iv: Buffer, additional: Buffer, plaintext: Buffer): Sealed;
  /** Null, or an error, for what was changed. */
  decrypt(iv: Buffer, additional: Buffer, ciphertext: Buffer, tag: Buffer): Buffer | null;
}

function gcm(key: KeyObject, authTagLength: number): ContentCipher {
  const name = `aes-${key.symmetricKeySize! * 8}-gcm` as CipherGCMTypes;
  return {
    encrypt(iv, additional, plaintext) {
      const cipher = createCipheriv(name, key, iv, { authTagLength });
      cipher.setAAD(additional);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return { ciphertext, tag: cipher.getAuthTag() };
    },
    decrypt(iv, additional, ciphertext, tag) {
      const decipher = createDecipheriv(name, key, iv, { authTagLength });
      decipher.setAAD(additional);
      decipher.setAuthTag(tag);
      const plaintext = decipher.update(ciphertext);
      const rest = decipher.final();
      return rest.length === 0 ? plaintext : Buffer.concat([plaintext, rest]);
    },
  };
}

/** AES in CBC mode with an HMAC behind it (RFC 7518, section 5.2): the tag is compared before anything is decrypted. */
function cbc(key: KeyObject, enc: string, tagLength: number): ContentCipher {
  const bytes = key.export();
  const half = bytes.length / 2;
  const macKey = createSecretKey(bytes.subarray(0, half));
  const contentKey = createSecretKey(bytes.subarray(half));
  const name = `aes-${half * 8}-cbc`;
  const hash = `sha${enc.slice(-3)}`;

  function tagOf(iv: Buffer, additional: Buffer, ciphertext: Buffer): Buffer {
    const bits = Buffer.alloc(8);
    bits.writeBigUInt64BE(BigInt(additional.length * 8));
    const mac = createHmac(hash, macKey).update(additional).update(iv).update(ciphertext).update(bits);
    return mac.digest().subarray(0, tagLength);
  }

  return {
    encrypt(iv, additional, plaintext) {
      const cipher = createCipheriv(name, contentKey, iv);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      return { ciphertext, tag: tagOf(iv, additional, ciphertext) };
    },
    decrypt(iv, additional, ciphertext, tag) {
      if (!timingSafeEqual(tagOf(iv, additional, ciphertext), tag)) return null;
      const decipher = createDecipheriv(name, contentKey, iv);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    },
  };
}
