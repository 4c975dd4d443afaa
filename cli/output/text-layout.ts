/** How wide what the program prints may be. */
export const lineWidth = 96;
export const indent = '  ';

/** Rows of two columns, of which the second is wrapped. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const gap = indent.length + Math.max(...rows.map(([head]) => head.length)) + 3;
  return rows.flatMap(([head, text]) =>
    wrap(text, lineWidth - gap).map((line, at) => `${(at === 0 ? indent + head : '').padEnd(gap)}${line}`),
  );
}

/** Text in lines that are not longer than this, unless a word is. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
