import { STATUS_CODES } from 'node:http';

/** The reason phrase of a status code; a phrase of its own for codes nobody registered. */
export function statusText(code: number): string {
  return STATUS_CODES[code] ?? 'Unknown';
}
