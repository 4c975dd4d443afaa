import type { AccessOutcome } from '../../engine/message/exchange.ts';
import { inOnePiece, jsonText } from './json-text.ts';
import type { RequestParts } from './recorded-access.ts';

/** Milliseconds and answers whose text is kept. */
const MOST_MILLISECONDS = 64;
const MOST_KEPT = 256;

/** Parts of access events that one request after the other has. Each is made when it differs from that before. */
export class RepeatedTexts {
  private scheme = '';
  private method = '';
  private target = '';
  private parts: RequestParts = { headers: '', cookies: '', query: '', address: null, scheme: null, authority: null };
  private answered = '';
  private contentText = NO_CONTENT;
  private isRepeated = true;
  private readonly responses = new Map<number, string>();

  /** From the end of the client to the path. */
  beforePath(scheme: string, method: string): string {
    if (method !== this.method || scheme !== this.scheme) {
      this.scheme = scheme;
      this.method = method;
      const isSecure = scheme === 'https';
      this.target = inOnePiece(`,"http":{"request":{"secure":${isSecure},"method":${jsonText(method)},"path":`);
    }
    return this.target;
  }

  /** From the end of the path to the end of the exchange. */
  content(parts: RequestParts, answered: string): string {
    const { query, headers, cookies } = parts;
    const last = this.parts;
    if (answered !== this.answered || headers !== last.headers || query !== last.query || cookies !== last.cookies) {
      this.parts = parts;
      this.answered = answered;
      this.contentText =
        `,"queryParameters":{${query}},"headers":{${headers}},"cookies":{${cookies}}}` +
        `,"response":{"headers":{${answered}}}}`;
      this.isRepeated = false;
    } else if (!this.isRepeated) {
      this.isRepeated = true;
      this.contentText = inOnePiece(this.contentText);
    }
    return this.contentText;
  }

  /** The outcome. */
  response(outcome: AccessOutcome, isCut: boolean): string {
    const { status, tunnel, sent } = outcome;
    const detail = tunnel === null ? `{"bytesSent":${sent}${isCut ? ',"incomplete":true' : ''}}` : tunnelText(tunnel);
    return `${this.beforeDetail(status, Math.round(outcome.milliseconds))}${detail}}`;
  }

  private beforeDetail(status: number, milliseconds: number): string {
    if (milliseconds >= MOST_MILLISECONDS) return responseText(status, milliseconds);
    const key = status * MOST_MILLISECONDS + milliseconds;
    const known = this.responses.get(key);
    if (known !== undefined) return known;
    if (this.responses.size >= MOST_KEPT) this.responses.clear();
    const text = inOnePiece(responseText(status, milliseconds));
    this.responses.set(key, text);
    return text;
  }
}

/** That of a request without anything that is recorded. */
export const NO_CONTENT = ',"queryParameters":{},"headers":{},"cookies":{}},"response":{"headers":{}}}';

function responseText(status: number, milliseconds: number): string {
  const outcome = status >= 400 ? 'FAILED' : 'SUCCESSFUL';
  return (
    `,"response":{"status":"${outcome}","statusCode":"${status}","elapsedTime":${milliseconds}` +
    ',"elapsedTimeUnits":"MILLISECONDS","detail":'
  );
}

function tunnelText({ fromClient, toClient, closeCode }: NonNullable<AccessOutcome['tunnel']>): string {
  return `{"bytesReceived":${fromClient},"bytesSent":${toClient},"closeCode":${closeCode}}`;
}
