import { clock } from './http/clock.ts';
import type { Finished } from './http/finished.ts';
import { refusals } from './http/refusal.ts';

/** Takes whole lines; the bytes may be reused once it has called back. */
export type LineWriter = (lines: Buffer, done: () => void) => void;

const BLOCK = 131_072;
/** Milliseconds after which even a few lines are handed on. */
const INTERVAL = 200;
/** Bytes that may wait for a slow destination; beyond that lines are counted and dropped, not memory used up. */
const MOST_WAITING = 64 << 20;
/**
 * One JSON line per request, in the shape pino writes. Lines are collected in one block while the other is written, so
 * that a request costs a concatenation of few parts and the loop never waits. Queries are left out: they carry tokens
 * more often than people think.
 */
export class AccessLog {
  /** Lines that were dropped because the destination was too slow. */
  dropped = 0;
  private readonly write: LineWriter;
  private readonly unit: number;
  private readonly timer: NodeJS.Timeout;
  private filling: Buffer = Buffer.allocUnsafeSlow(BLOCK);
  private spare: Buffer | null = Buffer.allocUnsafeSlow(BLOCK);
  private at = 0;
  private idle: (() => void) | null = null;
  private time = -1;
  private remote = '';
  private method = '';
  private host = '';
  private start = '';
  private middle = '","method":"","host":"","path":';
  private status = 0;
  private sent = 0;
  private end = '';
  private route: string | null = null;
  private backend: string | null = null;
  private way = '';

  constructor(write: LineWriter, unit: number) {
    this.write = write;
    this.unit = unit;
    this.timer = setInterval(() => this.flush(), INTERVAL);
    this.timer.unref();
  }

  record(finished: Finished): void {
    this.keepParts(finished);
    const { path, user, refusal, ids, milliseconds, firstByte } = finished;
    const quoted = path.includes('"') ? JSON.stringify(path) : `"${path}"`;
    const times = `${microseconds(milliseconds)},"firstByteUs":${microseconds(firstByte)}`;
    const named = user === null ? '' : `,"user":${latin1Json(user)}`;
    const identified = ids === null ? '' : `,"requestId":"${ids.requestId}","traceId":"${ids.traceId}"`;
    const close = refusal === null ? '}\n' : refusalFields(finished);
    this.put(`${this.start}${this.middle}${quoted}${this.end}${times}${identified}${this.way}${named}${close}`);
  }

  private put(line: string): void {
    if (this.at + line.length > this.filling.length && !this.makeRoom(line.length)) this.dropped++;
    else this.at += this.filling.latin1Write(line, this.at);
  }

  /** Makes anew the parts that are not as in the line before. */
  private keepParts({ remote, method, host, status, sent, route, backend }: Finished): void {
    if (clock.wall !== this.time) {
      this.time = clock.wall;
      this.start = `{"level":30,"time":"${new Date(clock.wall).toISOString()}","msg":"request","unit":${this.unit},"remote":"`;
    }
    if (remote !== this.remote || method !== this.method || host !== this.host) {
      this.remote = remote;
      this.method = method;
      this.host = host;
      this.middle = `${remote}","method":"${method}","host":"${host}","path":`;
    }
    if (status !== this.status || sent !== this.sent) {
      this.status = status;
      this.sent = sent;
      this.end = `,"status":${status},"bytes":${sent},"us":`;
    }
    if (route !== this.route || backend !== this.backend) {
      this.route = route;
      this.backend = backend;
      this.way = `${routeField(route)}${backend === null ? '' : `,"backend":${latin1Json(backend)}`}`;
    }
  }

  private makeRoom(most: number): boolean {
    this.flush();
    if (this.at + most <= this.filling.length) return true;
    if (this.filling.length >= MOST_WAITING) return false;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.filling.length * 2, this.at + most));
    this.filling.copy(larger, 0, 0, this.at);
    this.filling = larger;
    return true;
  }

  /** Hands on what there is, unless the block before is still being written. */
  private flush(): void {
    const { spare, filling, at } = this;
    if (spare === null || at === 0) return;
    this.spare = null;
    this.filling = spare;
    this.at = 0;
    this.write(filling.subarray(0, at), () => {
      this.spare = filling.length === BLOCK ? filling : Buffer.allocUnsafeSlow(BLOCK);
      this.idle?.();
    });
  }

  /** Resolves when everything is handed on. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    while (this.at > 0 || this.spare === null) {
      this.flush();
      if (this.spare !== null) continue;
      await new Promise<void>((resolve) => {
        this.idle = resolve;
      });
    }
  }
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}

function routeField(route: string | null): string {
  return route === null ? '' : `,"route":${latin1Json(route)}`;
}

/** Why the request was refused: the code, what exactly was wrong, and the object that decided it. */
function refusalFields({ refusal, decision }: Finished): string {
  if (refusal === null) return '';
  const isDecided = decision !== null && decision.refusal === refusal;
  const reason = (isDecided ? decision.reason : null) ?? refusals[refusal].reason;
  const object = isDecided ? `,"object":${latin1Json(decision.object)}` : '';
  return `,"refusal":"${refusal}","reason":${latin1Json(reason)}${object}}\n`;
}

/** A text as JSON whose characters are one byte each, so that a line has as many bytes as characters. */
function latin1Json(text: string): string {
  const json = JSON.stringify(text);
  return /[^\0-\x7e]/.test(json) ? json.replaceAll(/[^\0-\x7e]/g, escaped) : json;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
