import { createWriteStream, type WriteStream } from 'node:fs';
import type { Writable } from 'node:stream';

/** Where access log lines go. */
export type AccessLogTarget =
  | { readonly to: 'stdout' }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'nowhere' };

/** Characters that may wait for a slow destination; beyond that lines are dropped and counted, not memory used up. */
const MOST_WAITING = 256 << 20;

/** The one writer of a plane's access log: lines of several units never mix. */
export class LogDestination {
  dropped = 0;
  private readonly stream: Writable;

  /** @throws when the file cannot be opened. */
  static async open(target: AccessLogTarget): Promise<LogDestination | null> {
    if (target.to === 'nowhere') return null;
    if (target.to === 'stdout') return new LogDestination(process.stdout);
    const stream: WriteStream = createWriteStream(target.path, { flags: 'a' });
    await new Promise<void>((resolve, reject) => {
      stream.once('open', () => resolve());
      stream.once('error', reject);
    });
    return new LogDestination(stream);
  }

  private constructor(stream: Writable) {
    this.stream = stream;
    stream.on('error', () => {}); // a reader that went away must not take the gateway along
  }

  write(lines: string): void {
    if (this.stream.writableLength > MOST_WAITING) this.dropped++;
    else this.stream.write(lines, 'latin1');
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.stream === process.stdout) this.stream.write('', () => resolve());
      else this.stream.end(() => resolve());
    });
  }
}
