import type { IncomingMessage } from 'node:http';
import type { AdminAnswer } from './admin-answer.ts';

/** A request as a filter passes it on. */
export interface PassedRequest {
  readonly method: string;
  readonly path: string;
  /** Query string without its question mark. */
  readonly search: string;
  readonly body: Buffer;
  /** Returns the first value of a header by its name in lower case; null if the request does not have it. */
  header(name: string): string | null;
}

/** A request has more bytes than it may. */
export class BodyTooLong extends Error {
  constructor() {
    super('the body is too long');
    this.name = 'BodyTooLong';
  }
}

/** Stands in front of paths: it sees requests and answers, and may change both. A filter that fails refuses. */
export interface AdminFilter {
  /**
   * Answers a request, or passes it on and returns the answer.
   *
   * @param longestBody bytes that the body may have; 0 for a path that takes none
   * @throws BodyTooLong
   */
  answer(
    request: IncomingMessage,
    longestBody: number,
    pass: (passed: PassedRequest) => Promise<AdminAnswer>,
  ): Promise<AdminAnswer>;
}
