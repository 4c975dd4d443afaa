import type { Headers } from './headers.ts';
import { foldedName } from './look-alike.ts';

/** Which trailer fields pass: those that this file lists, or all that neither frame a message nor come too late. */
export const trailerRules = ['listed', 'all'] as const;
export type TrailerRule = (typeof trailerRules)[number];

/** Fields that are made to follow content, and that nobody decides on before it. */
const LISTED = new Set([
  'content-digest',
  'content-md5',
  'digest',
  'etag',
  'grpc-message',
  'grpc-status',
  'grpc-status-details-bin',
  'repr-digest',
  'server-timing',
]);

const GRPC_STATUS = /^grpc-status:/im;

/** Filters the trailer lines of a client to the allowed ones. */
export function requestTrailers(lines: string, rule: TrailerRule): string {
  return lines === '' || rule === 'all' ? lines : linesWith(lines, (name) => LISTED.has(name));
}

/** Filters the trailer lines of a response to the allowed ones; all trailers of gRPC pass as metadata. */
export function responseTrailers(lines: string, headers: Headers | null, rule: TrailerRule): string {
  if (lines === '') return lines;
  const passed = GRPC_STATUS.test(lines) ? lines : requestTrailers(lines, rule);
  return headers === null ? passed : withoutEdited(passed, headers);
}

/** The lines without those of headers that somebody set or removed: a trailer must not bring them back. */
export function withoutEdited(lines: string, headers: Headers): string {
  return lines === '' ? lines : linesWith(lines, (name) => !headers.hasEdited(foldedName(name)));
}

function linesWith(lines: string, passes: (name: string) => boolean): string {
  return lines
    .split('\r\n')
    .filter((line) => line !== '' && passes(line.slice(0, line.indexOf(':')).toLowerCase()))
    .map((line) => `${line}\r\n`)
    .join('');
}
