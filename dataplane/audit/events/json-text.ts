/** Text that stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Characters that JSON allows and that act on a terminal or hide there: controls, direction marks, ends of lines. */
const UNSEEN = /[\x7f\p{Cf}\p{Zl}\p{Zp}\x80-\x9f]/gu;

/** True for a text that stands in JSON as it is, between quotes. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/** A text as JSON. No character in it can end a line, act on a terminal, or fail to be UTF-8. */
export function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text).replaceAll(UNSEEN, escaped);
}

function escaped(character: string): string {
  let result = '';
  for (let at = 0; at < character.length; at++) {
    result += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return result;
}

/** A value as JSON, with the same care. */
export function jsonValue(value: unknown): string {
  return JSON.stringify(value).replaceAll(UNSEEN, escaped);
}

/**
 * The same text in one piece. One that was put together is a tree of its parts, and whatever it becomes a part of walks
 * through them again: worth it for texts that are used often.
 */
export function inOnePiece(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
