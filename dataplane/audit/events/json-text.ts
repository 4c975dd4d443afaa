/** Text that stands in JSON as it is. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Characters that JSON allows and that act on a terminal or hide there: controls, direction marks, ends of lines. */
const UNSEEN = /[\x7f\p{Cf}\p{Zl}\p{Zp}\x80-\x9f]/gu;

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
