import { Buffer } from 'node:buffer';
import type { Finished } from '../engine/client/finished.ts';
import { clock } from '../engine/wire/clock.ts';
import { type Colour, coloured } from './log-style.ts';
import { refusalReason } from './refusal-reason.ts';
import { visibleValue } from './visible-text.ts';

const LONGEST_METHOD = 7;
const LONGEST_TIME = 9;

/**
 * Access log lines for people: what has always the same length comes first, so that lines stand below each other. No
 * client can write anything that a terminal would act on.
 */
export class TextAccessLines {
  bytes: Buffer = Buffer.alloc(0);
  private readonly isColoured: boolean;

  constructor(isColoured: boolean) {
    this.isColoured = isColoured;
  }

  /** Makes the line of a request, in UTF-8. */
  line(finished: Finished): number {
    const { method, host, path, status, milliseconds, firstByte, route, user, backend, ids, refusal } = finished;
    const target = `${host}${path}`;
    const columns = [
      this.paint(new Date(clock.wall).toISOString(), 'grey'),
      this.paint(String(status), colourOf(status)),
      timeText(milliseconds),
      timeText(firstByte),
      (method === '' ? '-' : visibleValue(method)).padEnd(LONGEST_METHOD),
      target === '' ? '-' : visibleValue(target),
    ];
    if (route !== null) columns.push(field('route', route));
    if (user !== null) columns.push(field('user', user));
    if (refusal !== null) {
      const { reason, object } = refusalReason(finished);
      columns.push(this.paint(field('refusal', refusal), colourOf(status)), field('reason', reason));
      if (object !== null) columns.push(field('object', object));
    }
    if (backend !== null) columns.push(field('backend', backend));
    if (ids !== null) columns.push(this.paint(field('requestId', ids.requestId), 'grey'));
    this.bytes = Buffer.from(`${columns.join(' ')}\n`, 'utf8');
    return this.bytes.length;
  }

  private paint(text: string, colour: Colour): string {
    return this.isColoured ? coloured(text, colour) : text;
  }
}

function field(name: string, value: string): string {
  return `${name}=${visibleValue(value)}`;
}

function timeText(milliseconds: number): string {
  const text = milliseconds < 10_000 ? `${milliseconds.toFixed(2)}ms` : `${(milliseconds / 1000).toFixed(2)}s`;
  return text.padStart(LONGEST_TIME);
}

function colourOf(status: number): Colour {
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}
