/** Answer of a path of an admin server. */
export interface AdminAnswer {
  readonly status: number;
  /** Media type of the body; empty without a body. */
  readonly type: string;
  /** A long body is made piece by piece while it is sent. */
  readonly body: string | Buffer | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** True for a body that is there as a whole, and not made while it is sent. */
export function isWhole(body: AdminAnswer['body']): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body);
}

/** Returns the length of a body in bytes; 0 for one that is made while it is sent, of which little is held. */
export function heldBytes({ body }: AdminAnswer): number {
  return isWhole(body) ? Buffer.byteLength(body) : 0;
}

/** Returns a line of text as an answer. */
export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): AdminAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

/** Returns JSON, already written as text, as an answer. */
export function jsonAnswer(status: number, json: string): AdminAnswer {
  return { status, type: 'application/json;charset=UTF-8', body: `${json}\n` };
}
