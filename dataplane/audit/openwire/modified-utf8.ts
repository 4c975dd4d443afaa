/** Characters that Java writes in another way than UTF-8: U+0000, and halves of surrogate pairs. */
const SPECIAL = /[\0\ud800-\udfff]/;

/** Encodes a text as Java does: U+0000 has two bytes, and each half of a surrogate pair has three. */
export function modifiedUtf8(text: string): Buffer {
  if (!SPECIAL.test(text)) return Buffer.from(text);
  const bytes = Buffer.allocUnsafe(3 * text.length);
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x01 && code <= 0x7f) bytes[at++] = code;
    else if (code <= 0x7ff) {
      bytes[at++] = 0xc0 | (code >> 6);
      bytes[at++] = 0x80 | (code & 0x3f);
    } else {
      bytes[at++] = 0xe0 | (code >> 12);
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
      bytes[at++] = 0x80 | (code & 0x3f);
    }
  }
  return bytes.subarray(0, at);
}

/** Decodes what Java encoded, for logs: a pair of encoded surrogates becomes replacement characters. */
export function fromModifiedUtf8(bytes: Buffer): string {
  return bytes.toString('utf8');
}
