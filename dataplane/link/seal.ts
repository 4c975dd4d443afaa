import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The fewest bytes of a file that keys are made from. */
export const LEAST_KEY_BYTES = 32;

/** What a sealed text begins with, its format among it. */
const MAGIC = Buffer.from('GWSEAL1\n');
const SALT = 32;
const NONCE = 12;
const TAG = 16;
const HEAD = MAGIC.length + SALT + NONCE;

/** Why a sealed text cannot be used. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

/** Encryption with AES-256-GCM under a separate key for each text. */
export interface Sealing {
  /** Goes before everything else. */
  readonly head: Buffer;
  update(text: string): Buffer;
  /** The rest, with which the whole can be verified. */
  end(): Buffer;
}

/**
 * Begins to seal a text.
 *
 * @param secret at least `LEAST_KEY_BYTES`
 * @param identity whom it is for: nobody else can open it, even with the same secret
 */
export function sealing(secret: Uint8Array, identity: string): Sealing {
  const salt = randomBytes(SALT);
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secret, salt), nonce);
  cipher.setAAD(boundTo(identity));
  return {
    head: Buffer.concat([MAGIC, salt, nonce]),
    update: (text) => cipher.update(text, 'utf8'),
    end: () => Buffer.concat([cipher.final(), cipher.getAuthTag()]),
  };
}

/** Returns the name that a sealed text has by its salt, which no other has. It is fit for the name of a file. */
export function sealName(sealed: Uint8Array): string {
  return Buffer.from(sealed.subarray(MAGIC.length, MAGIC.length + SALT)).toString('base64url');
}

/** @throws CannotOpen when it is not whole, was changed, or is sealed for somebody else or under another secret. */
export function opened(sealed: Buffer, secret: Uint8Array, identity: string): string {
  if (sealed.length < HEAD + TAG || !sealed.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new CannotOpen('it is not a sealed snapshot in a format that this version supports');
  }
  const salt = sealed.subarray(MAGIC.length, MAGIC.length + SALT);
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(secret, salt), sealed.subarray(HEAD - NONCE, HEAD));
  decipher.setAAD(boundTo(identity));
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG));
  try {
    const text = decipher.update(sealed.subarray(HEAD, sealed.length - TAG));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw new CannotOpen('it is damaged, or sealed for another data plane or with another key');
  }
}

function keyFrom(secret: Uint8Array, salt: Uint8Array): Buffer {
  if (secret.length < LEAST_KEY_BYTES) throw new CannotOpen(`the key has fewer than ${LEAST_KEY_BYTES} bytes`);
  return Buffer.from(hkdfSync('sha256', secret, salt, 'gatewarden sealed snapshot', 32));
}

function boundTo(identity: string): Buffer {
  return Buffer.from(JSON.stringify([MAGIC.toString('latin1'), identity]));
}
