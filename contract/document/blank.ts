/** Whether a code unit is white space, as `\s` of a regular expression has it. */
export function isBlank(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

/** ASCII characters, to be looked up by their code. */
export function charactersOf(text: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of text) table[character.charCodeAt(0)] = 1;
  return table;
}

/** Whether a code unit is white space or one of these characters. */
export function endsWord(code: number, characters: Uint8Array): boolean {
  return code < 128 ? characters[code] === 1 || isBlank(code) : isBlank(code);
}
