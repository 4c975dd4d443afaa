import { hostname } from 'node:os';
import { clock } from './http/clock.ts';
import type { Finished } from './http/listener.ts';

/** Characters that wait before they are handed on. */
const BATCH = 131_072;
/** Milliseconds after which even a few lines are handed on. */
const INTERVAL = 200;

/**
 * One JSON line per request, in the shape pino writes. Lines are collected and handed on in batches, so that a request
 * costs a concatenation. Queries are left out: they carry tokens more often than people think.
 */
export class AccessLog {
  private readonly write: (lines: string) => void;
  private readonly suffix: string;
  private lines = '';
  private readonly timer: NodeJS.Timeout;

  constructor(write: (lines: string) => void, unit: number) {
    this.write = write;
    this.suffix = `,"unit":${unit},"pid":${process.pid},"hostname":${JSON.stringify(hostname())},"msg":"request"}\n`;
    this.timer = setInterval(() => this.flush(), INTERVAL);
    this.timer.unref();
  }

  record(finished: Finished): void {
    const { path } = finished;
    const quoted = path.includes('"') ? JSON.stringify(path) : `"${path}"`;
    this.lines +=
      `{"level":30,"time":${clock.wall},"remote":"${finished.remote}","method":"${finished.method}",` +
      `"host":"${finished.host}","path":${quoted},"status":${finished.status},"bytes":${finished.sent},` +
      `"us":${Math.round(finished.milliseconds * 1000)}` +
      (finished.refusal === null ? this.suffix : `,"refusal":"${finished.refusal}"${this.suffix}`);
    if (this.lines.length > BATCH) this.flush();
  }

  flush(): void {
    if (this.lines === '') return;
    const { lines } = this;
    this.lines = '';
    this.write(lines);
  }

  close(): void {
    clearInterval(this.timer);
    this.flush();
  }
}
