import { readFileSync } from 'node:fs';

/** A raw request from a public suite, and what a gateway must do with it. */
export interface RequestVector {
  readonly id: string;
  readonly class: 'must-accept' | 'must-reject' | 'review';
  readonly bytes: Buffer;
}

/** The rows of test/vectors/http1-requests.jsonl (from gunicorn and llhttp, MIT; see test/vectors/README.md). */
export function requestVectors(): RequestVector[] {
  const text = readFileSync(new URL('../../vectors/http1-requests.jsonl', import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const row = JSON.parse(line) as { id: string; class: RequestVector['class']; b64: string };
      return { id: row.id, class: row.class, bytes: Buffer.from(row.b64, 'base64') };
    });
}
