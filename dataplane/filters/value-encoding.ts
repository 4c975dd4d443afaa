import { headerBytes } from '../engine/head/header-text.ts';

/** How a header carries characters outside ASCII. */
export const valueEncodings = ['UTF-8', 'RFC8187', 'REFUSE'] as const;
export type ValueEncoding = (typeof valueEncodings)[number];

const EXTENDED = "UTF-8''";
const ASCII = /^[\x00-\x7f]*$/;

/** Writes values in one way, so that different values stay different; null for one that it does not write. */
export function valueWriter(encoding: ValueEncoding): (value: string) => string | null {
  if (encoding === 'UTF-8') return headerBytes;
  if (encoding === 'RFC8187') return extended;
  return (value) => (ASCII.test(value) ? value : null);
}

/** A text that looks like an extended value is written as one too. */
function extended(value: string): string {
  if (ASCII.test(value) && !value.toUpperCase().startsWith(EXTENDED)) return value;
  const escaped = encodeURIComponent(value.toWellFormed());
  return (
    EXTENDED + escaped.replaceAll(/[*'()]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  );
}
