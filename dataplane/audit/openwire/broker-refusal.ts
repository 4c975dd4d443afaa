import type { FrameReader } from './frame-reader.ts';

/** The broker rejected a command. Its message may contain names, but no password. */
export class BrokerRefusal extends Error {
  /** Class of the exception in the broker. */
  readonly exception: string;

  constructor(exception: string, message: string | null) {
    super(message ?? exception);
    this.name = 'BrokerRefusal';
    this.exception = exception;
  }
}

/** A message is larger than the broker accepts: it would close the connection. */
export class MessageTooLarge extends Error {
  constructor(size: number, limit: number) {
    super(`the message has ${size} bytes, and the broker accepts ${limit}`);
    this.name = 'MessageTooLarge';
  }
}

/** Reads the exception of a broker. */
export function refusalIn(reader: FrameReader): BrokerRefusal {
  if (!reader.flag()) return new BrokerRefusal('unknown', null);
  const typed = reader.text() ?? 'unknown';
  return new BrokerRefusal(typed, reader.text());
}
