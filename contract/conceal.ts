/** What a run of characters needs to be telling; shorter ones stand in any two texts. */
const TELLING = 6;
const HIDDEN = '…';

/**
 * A message in which values that the document does not show itself are hidden: they come from the environment or from
 * files, and may be secrets. Hidden is what stands in quotes, and every longer run of characters.
 * @param written what the document says in the place that the message is about
 */
export function conceal(message: string, values: readonly string[], written: string): string {
  const foreign = values.filter((value) => value !== '' && !written.includes(value));
  if (foreign.length === 0) return message;
  const isTold = (part: string): boolean => !written.includes(part) && foreign.some((value) => value.includes(part));
  const quoted = message.replace(/'([^']+)'/g, (whole, part: string) => (isTold(part) ? `'${HIDDEN}'` : whole));
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
