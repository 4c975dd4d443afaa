import { beginHead, copyToHead, endHead, headArena } from '../frames/head-arena.ts';
import { Headers } from '../head/headers.ts';
import { responseHead, scanResponseHead } from '../head/response-head.ts';
import { Body, type BodySource } from '../message/body.ts';
import { Response } from '../message/response.ts';
import { SLACK, writeText } from '../wire/bytes.ts';
import type { AnswerFields } from './answer-fields.ts';

const LONGEST_LENGTH_LINE = 32;
const NOTHING = Buffer.alloc(0);

/** The head of an answer as text, until it is known whether its content has come with it. It is valid for one turn. */
export class HeldAnswer {
  private bytes: Buffer = NOTHING;
  private start = 0;
  private end = 0;
  private declaresLength = false;

  hold({ bytes, start, end, declaresLength }: AnswerFields): void {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.declaresLength = declaresLength;
  }

  /** The headers of an interim answer; null when they are malformed. */
  interim(): Headers | null {
    const { bytes, start, end } = this;
    return scanResponseHead(bytes, start, end) === end
      ? new Headers(bytes, start, end - start - 2, responseHead)
      : null;
  }

  /** The answer, whose content follows; null when its head is malformed. `method` is that of the request. */
  begun(method: string, source: BodySource): Response | null {
    const { bytes, start, end } = this;
    if (scanResponseHead(bytes, start, end) !== end) return null;
    const { status, length } = responseHead;
    const headers = new Headers(bytes, start, end - start - 2, responseHead);
    return new Response(status, headers, isBodiless(status, method) ? null : new Body(source, length), status);
  }

  /** The answer with all of its content, which goes where its head goes; null when it is malformed. */
  whole(method: string, content: Buffer, from: number, to: number): Response | null {
    const length = to - from;
    if (length > 0) this.join(content, from, to);
    const { bytes, start, end } = this;
    if (scanResponseHead(bytes, start, end + length) !== end) return null;
    const { status, length: declared } = responseHead;
    if (isBodiless(status, method) ? length > 0 : declared >= 0 && declared !== length) return null;
    return new Response(status, new Headers(bytes, start, end - start - 2, responseHead, length), null, status);
  }

  /** Puts the content behind the head, which then says how long it is. */
  private join(content: Buffer, from: number, to: number): void {
    const length = to - from;
    beginHead(this.end - this.start + LONGEST_LENGTH_LINE + length + SLACK);
    const { bytes, at: start } = headArena;
    let at = copyToHead(bytes, start, this.bytes, this.start, this.end - 2);
    if (!this.declaresLength) at = writeText(bytes, at, `content-length: ${length}\r\n`);
    at = writeText(bytes, at, '\r\n');
    this.bytes = bytes;
    this.start = start;
    this.end = at;
    endHead(at + content.copy(bytes, at, from, to));
  }
}

function isBodiless(status: number, method: string): boolean {
  return status === 204 || status === 304 || method === 'HEAD';
}
