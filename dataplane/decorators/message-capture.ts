import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { statusText } from '../engine/head/status-text.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import { contextText } from './captured-context.ts';
import { type CapturedMessage, entityNotice, entityText, hasEntity } from './captured-entity.ts';
import type { CredentialMask } from './credential-mask.ts';

/** Options of a capture. */
export interface CaptureOptions {
  /** How many bytes of an entity; null for none. */
  readonly entityLimit: number | null;
  readonly context: boolean;
  readonly mask: CredentialMask;
}

/** Writes messages to the log. Where content has to be waited for the result is a promise. */
export class MessageCapture {
  private readonly options: CaptureOptions;
  private readonly log: Logger;

  constructor(options: CaptureOptions, log: Logger) {
    this.options = options;
    this.log = log;
  }

  request(point: 'request' | 'filtered-request', exchange: Exchange): Promise<void> | null {
    const { request } = exchange;
    const title = `--- (${point}) id:${idOf(exchange)} --->`;
    const line = `${request.method} ${this.options.mask.text(String(request.uri))} ${request.version}`;
    return this.write(`${title}\n\n${line}`, request, exchange);
  }

  response(point: 'response' | 'filtered-response', exchange: Exchange, response: Response): Promise<void> | null {
    const { status, reason } = response;
    const title = `<--- (${point}) id:${idOf(exchange)} ---`;
    return this.write(`${title}\n\nHTTP/1.1 ${status} ${reason ?? statusText(status)}`, response, exchange);
  }

  private write(start: string, message: CapturedMessage, exchange: Exchange): Promise<void> | null {
    const { entityLimit, mask } = this.options;
    let head = `\n\n${start}\n`;
    message.headers.each((name, value) => {
      head += `${name}: ${mask.header(name, value)}\n`;
    });
    const finish = (entity: string): void => {
      const content = entity === '' ? '' : `\n${entity}\n`;
      const context = this.options.context ? `\nContext's content as JSON:\n${contextText(exchange, mask)}\n` : '';
      this.log.info(`${head}${content}${context}`);
    };
    if (!hasEntity(message)) finish('');
    else if (entityLimit === null) finish('[entity]');
    else {
      const notice = entityNotice(message.headers);
      if (notice === null) return entityText(message, entityLimit, mask).then(finish);
      finish(notice);
    }
    return null;
  }
}

const ids = new WeakMap<Exchange, string>();

/** What the captures of one exchange have in common: its transaction, or a name of its own. */
function idOf(exchange: Exchange): string {
  const transaction = exchange.context('transactionId');
  if (typeof transaction === 'object' && transaction !== null && 'value' in transaction)
    return String(transaction.value);
  const known = ids.get(exchange) ?? randomUUID();
  ids.set(exchange, known);
  return known;
}
