/** A star for every character of a text, so that everything after it stays in its line and column. */
export function stars(text: string): string {
  return isPlain(text) ? '*'.repeat(text.length) : text.replace(/[^\r\n]/gu, '*');
}

/** Whether every code unit is a character on the same line. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d || (code & 0xf800) === 0xd800) return false;
  }
  return true;
}
