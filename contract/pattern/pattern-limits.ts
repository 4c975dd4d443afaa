/** The longest source of a pattern, in UTF-16 units. */
export const maxSourceLength = 16_384;

/** How deep groups and classes may be nested. */
export const maxNesting = 200;

/** The most instructions that a pattern of each policy may become; counted repeats are written out. */
export const maxProgramLength = { linear: 2_000, bounded: 10_000 } as const;

/** The most groups that take a part of the text. */
export const maxGroups = 100;

/** The longest text that a look-behind may look back over, in characters. */
export const maxLookBehind = 255;

/** The steps that one run over a text may take where time is not linear by construction. */
export function runBudget(textLength: number): number {
  return 100_000 + 200 * textLength;
}

/** The steps that all runs of one `split` or `replaceAll` may take together, with a program of so many instructions. */
export function editBudget(textLength: number, programLength: number): number {
  return runBudget(textLength) + 4 * textLength * programLength;
}
