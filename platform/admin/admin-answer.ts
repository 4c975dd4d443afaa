/** Answer of a path of an admin server. */
export interface AdminAnswer {
  readonly status: number;
  /** Media type of the body; empty without a body. */
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns a line of text as an answer. */
export function textAnswer(status: number, text: string, headers: Readonly<Record<string, string>> = {}): AdminAnswer {
  return { status, type: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

/** Returns JSON, already written as text, as an answer. */
export function jsonAnswer(status: number, json: string): AdminAnswer {
  return { status, type: 'application/json;charset=UTF-8', body: `${json}\n` };
}
