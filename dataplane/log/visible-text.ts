/** Characters that act on a terminal or hide there: controls, marks of direction and width, ends of lines. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** What stands in a line as it is and still ends where it seems to. */
const WORD = /^[^\s"\\]+$/;

/** A text in which every character that a terminal would act on is written as an escape of JSON. */
export function visibleText(text: string): string {
  return text.replaceAll(UNSEEN, escapes);
}

/** The same for one value among others: in quotes where it would be taken for several. */
export function visibleValue(text: string): string {
  if (WORD.test(text) && text.search(UNSEEN) < 0) return text;
  return visibleText(JSON.stringify(text));
}

function escapes(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
