import { cutOff } from './cut-off.ts';

/** Nobody is shown more of a message, and every part of it is looked for among the values. */
const LONGEST_MESSAGE = 4_000;
/** What a run of characters needs to be telling; shorter ones stand in any two texts. */
const TELLING = 6;
const HIDDEN = '…';
const BETWEEN = '\n\0\n';

/**
 * A message in which values that the document does not show itself are hidden: they come from the environment or from
 * files, and may be secrets. Hidden is what stands in quotes, and every longer run of characters.
 * @param written what the document says in the place that the message is about
 */
export function conceal(message: string, values: readonly string[], written: string): string {
  // one text is searched faster than many, and no part of a message holds what is between them
  const foreign = values.filter((value) => value !== '').join(BETWEEN);
  if (foreign === '') return message;
  const isTold = (part: string): boolean =>
    foreign.includes(part) && !part.includes(BETWEEN) && !written.includes(part);
  const quoted = cutOff(message, LONGEST_MESSAGE).replace(/'([^']+)'/g, (whole, part: string) =>
    isTold(part) ? `'${HIDDEN}'` : whole,
  );
  let shown = '';
  for (let at = 0; at < quoted.length; ) {
    const length = runLength(quoted, at, isTold);
    shown += length === 0 ? quoted[at] : HIDDEN;
    at += Math.max(1, length);
  }
  return shown.replace(/…+/g, HIDDEN);
}

/** A message without what stands in quotes, unless the document itself says it in the place that the message is about. */
export function concealQuoted(message: string, written: string): string {
  return message.replace(/'([^']+)'/g, (whole, part: string) => (written.includes(part) ? whole : `'${HIDDEN}'`));
}

/** How many characters from here on are told that should not be. */
function runLength(text: string, from: number, isTold: (part: string) => boolean): number {
  let length = TELLING;
  if (from + length > text.length || !isTold(text.slice(from, from + length))) return 0;
  while (from + length < text.length && isTold(text.slice(from, from + length + 1))) length++;
  return length;
}
