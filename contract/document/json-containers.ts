const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** Counts the objects and lists of a JSON text without reading it: each takes twenty times the memory of its text. */
export function containersIn(text: Uint8Array): number {
  let count = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) at += byte === BACKSLASH ? 1 : 0;
    else if (byte === BRACE || byte === BRACKET) count++;
  }
  return count;
}
