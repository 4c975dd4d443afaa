const ASCII = /^[\x00-\x7f]*$/;
const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** A text as the bytes of UTF-8 that a header carries, one character for each: different texts stay different. */
export function headerBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').latin1Slice();
}

/** Decodes the bytes of a header, given as one character each: UTF-8, or Latin-1 if they are not UTF-8. */
export function headerText(bytes: string): string {
  if (ASCII.test(bytes)) return bytes;
  try {
    return strictUtf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return bytes;
  }
}
