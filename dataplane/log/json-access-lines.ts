import type { Finished } from '../engine/client/finished.ts';
import { clock } from '../engine/wire/clock.ts';
import { refusalReason } from './refusal-reason.ts';

/**
 * Access log lines as JSON, in the shape pino writes. Parts that are as in the line before are kept, so that a request
 * costs a concatenation of few parts. Queries are left out: they carry tokens more often than people think.
 */
export class JsonAccessLines {
  private readonly unit: number;
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

  constructor(unit: number) {
    this.unit = unit;
  }

  /** The line of a request, each of its characters one byte. */
  line(finished: Finished): string {
    this.keepParts(finished);
    const { path, user, refusal, ids, milliseconds, firstByte } = finished;
    const quoted = path.includes('"') ? JSON.stringify(path) : `"${path}"`;
    const times = `${microseconds(milliseconds)},"firstByteUs":${microseconds(firstByte)}`;
    const named = user === null ? '' : `,"user":${latin1Json(user)}`;
    const identified = ids === null ? '' : `,"requestId":"${ids.requestId}","traceId":"${ids.traceId}"`;
    const close = refusal === null ? '}\n' : refusalFields(finished);
    return `${this.start}${this.middle}${quoted}${this.end}${times}${identified}${this.way}${named}${close}`;
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
}

function microseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000);
}

function routeField(route: string | null): string {
  return route === null ? '' : `,"route":${latin1Json(route)}`;
}

/** Why the request was refused: the code, what exactly was wrong, and the object that decided it. */
function refusalFields(finished: Finished): string {
  const { reason, object } = refusalReason(finished);
  const decided = object === null ? '' : `,"object":${latin1Json(object)}`;
  return `,"refusal":"${finished.refusal}","reason":${latin1Json(reason)}${decided}}\n`;
}

/** A text as JSON whose characters are one byte each, so that a line has as many bytes as characters. */
function latin1Json(text: string): string {
  const json = JSON.stringify(text);
  return /[^\0-\x7e]/.test(json) ? json.replaceAll(/[^\0-\x7e]/g, escaped) : json;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
