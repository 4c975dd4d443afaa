import { charactersOf, endsWord } from './blank.ts';
import { stars } from './stars.ts';

const BEFORE_AUTHORITY = '://';
/** The characters that end the authority of a URL, or the text that it is written in. */
const ENDS = charactersOf('/?#"\'');
const COLON = 0x3a;
const AT = 0x40;

/**
 * A text with stars for the passwords of the URLs in it. It is read once from its beginning to its end: a regular
 * expression that does the same exhausts its stack at a text of some megabytes.
 */
export function hideUrlPasswords(text: string): string {
  const shown: string[] = [];
  let shownTo = 0;
  for (let found = text.indexOf(BEFORE_AUTHORITY); found >= 0; found = text.indexOf(BEFORE_AUTHORITY, shownTo)) {
    const start = found + BEFORE_AUTHORITY.length;
    const userEnd = skipTo(text, start, true);
    const passwordAt = text.charCodeAt(userEnd) === COLON ? userEnd + 1 : userEnd;
    const end = skipTo(text, passwordAt, false);
    const at = passwordAt > userEnd ? lastAt(text, passwordAt, end) : -1;
    if (at > passwordAt) shown.push(text.slice(shownTo, passwordAt), stars(text.slice(passwordAt, at)));
    else shown.push(text.slice(shownTo, end));
    shownTo = at > passwordAt ? at : end;
  }
  return shown.length === 0 ? text : shown.join('') + text.slice(shownTo);
}

/** The end of a user's name, or of what follows it. */
function skipTo(text: string, from: number, isName: boolean): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (endsWord(code, ENDS) || (isName && (code === COLON || code === AT))) break;
  }
  return at;
}

/** The last at sign, because a password may hold others. */
function lastAt(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && text.charCodeAt(at) !== AT) at--;
  return text.charCodeAt(at) === AT ? at : -1;
}
