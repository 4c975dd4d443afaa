import { closeSync, fstatSync, openSync, write } from 'node:fs';
import type { LineWriter } from './access-log.ts';
import { type LogFormat, type LogStyle, logStyle } from './log-style.ts';

/** Where access log lines go. */
export type AccessLogTarget =
  | { readonly to: 'stdout' }
  | { readonly to: 'file'; readonly path: string }
  | { readonly to: 'nowhere' };

const STDOUT = 1;
/** Bytes that may wait for a slow reader of the standard output. */
const MOST_WAITING = 64 << 20;

/**
 * Where the units of a plane write. To a file each unit writes by itself: appending is atomic there. Lines for a pipe or
 * a terminal, where it is not, go through the supervisor, so that lines of several units never mix.
 */
export class LogDestination {
  /** The file that units append to, or null when they must hand their lines over. */
  readonly file: number | null;
  /** Batches that were dropped because the reader was too slow. */
  dropped = 0;
  private readonly owned: boolean;

  /** @throws when the file cannot be opened. */
  static open(target: AccessLogTarget): LogDestination | null {
    if (target.to === 'nowhere') return null;
    if (target.to === 'file') return new LogDestination(openSync(target.path, 'a', 0o640), true);
    const stdout = process.stdout;
    stdout.on('error', () => {}); // a reader that went away must not take the gateway along
    return new LogDestination(fstatSync(STDOUT).isFile() ? STDOUT : null, false);
  }

  private constructor(file: number | null, owned: boolean) {
    this.file = file;
    this.owned = owned;
  }

  /** What lines look like here. */
  style(format: LogFormat): LogStyle {
    return logStyle(format, this.file ?? STDOUT);
  }

  /** Writes lines that a unit handed over. */
  write(lines: Uint8Array): void {
    if (process.stdout.writableLength > MOST_WAITING) this.dropped++;
    else process.stdout.write(lines);
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    if (this.file === null) await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
    else if (this.owned) closeSync(this.file);
  }
}

/** Writes whole lines to the standard output. Resolves when the system has taken them. */
export function writeStdout(lines: Uint8Array): Promise<void> {
  const { stdout } = process;
  if (stdout.listenerCount('error') === 0) stdout.on('error', () => {}); // the write itself tells
  return new Promise((resolve, reject) => {
    stdout.write(lines, (error) => (error ? reject(error) : resolve()));
  });
}

/** Appends to a file, in whole lines, without ever waiting for it. */
export function appendTo(file: number, report: (error: Error) => void): LineWriter {
  return function append(lines, done) {
    write(file, lines, 0, lines.length, null, (error, written) => {
      if (error !== null) report(error);
      else if (written < lines.length) {
        append(lines.subarray(written), done);
        return;
      }
      done();
    });
  };
}
