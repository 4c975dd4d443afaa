import type { KeyObject } from 'node:crypto';

const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 61;
const NEWLINE = 10;
const LINE = 64;
const BEGIN = '-----BEGIN PRIVATE KEY-----\n';
const END = '\n-----END PRIVATE KEY-----\n';

/** A private key in PEM while `use` runs. No text is made of it, and nothing of it is left afterwards. */
export function withKeyPem<T>(key: KeyObject, use: (pem: Buffer) => T): T {
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const pem = Buffer.allocUnsafeSlow(BEGIN.length + Math.ceil(der.length / 3) * 4 * 2 + END.length);
  try {
    let at = pem.write(BEGIN);
    at = putBase64(der, pem, at);
    at += pem.write(END, at);
    return use(pem.subarray(0, at));
  } finally {
    der.fill(0);
    pem.fill(0);
  }
}

function putBase64(bytes: Buffer, into: Buffer, start: number): number {
  let at = start;
  let column = 0;
  const put = (digit: number): void => {
    if (column === LINE) {
      into[at++] = NEWLINE;
      column = 0;
    }
    into[at++] = digit;
    column++;
  };
  for (let i = 0; i < bytes.length; i += 3) {
    const left = bytes.length - i;
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    put(DIGITS[group >> 18]!);
    put(DIGITS[(group >> 12) & 63]!);
    put(left > 1 ? DIGITS[(group >> 6) & 63]! : PADDING);
    put(left > 2 ? DIGITS[group & 63]! : PADDING);
  }
  return at;
}
