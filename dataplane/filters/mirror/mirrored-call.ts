import { listenerLimits } from '../../engine/head/limits.ts';
import type { Body, BodySink } from '../../engine/message/body.ts';
import type { Exchange, Next } from '../../engine/message/exchange.ts';
import { type ExchangeOwner, runExchange } from '../../engine/message/exchange-owner.ts';
import type { Response } from '../../engine/message/response.ts';
import { webSocketTerms } from '../../engine/message/websocket-terms.ts';
import { clock, readClock } from '../../engine/wire/clock.ts';
import type { CopiedRequest } from './copied-request.ts';
import { MIRROR_HEADER } from './mirror-header.ts';

const WEB_SOCKETS = webSocketTerms({}, listenerLimits.parse({}));

/** A copy on its way through a handler. Its response is read, so that connections can be used again, and discarded. */
export class MirroredCall implements ExchangeOwner, BodySink {
  readonly handler: Next;
  readonly webSockets = WEB_SOCKETS;
  private copied: CopiedRequest | null = null;
  private exchange: Exchange | null = null;
  private body: Body | null = null;
  private timer: NodeJS.Timeout | null = null;
  private isOver = false;
  private readonly ended: (isAnswered: boolean) => void;

  /** `ended` is called once, with whether the application answered. */
  constructor(handler: Next, ended: (isAnswered: boolean) => void) {
    this.handler = handler;
    this.ended = ended;
  }

  get facts(): ExchangeOwner['facts'] {
    return this.copied!.facts;
  }

  send(copied: CopiedRequest, content: Buffer, timeout: number): void {
    if (!clock.fresh) readClock(); // outside of a turn: deadlines would count from the last one
    this.copied = copied;
    this.timer = setTimeout(() => this.end(), timeout);
    this.timer.unref();
    this.exchange = copied.exchange(this, content, MIRROR_HEADER);
    runExchange(this, this.exchange);
  }

  answer(_exchange: Exchange, response: Response): void {
    response.upgraded?.abandon();
    const body = response.touchedEntity === null ? response.incomingBody : response.touchedEntity.incoming;
    if (response.refusal !== null || body === null) {
      response.abandon();
      this.finish(response.refusal === null);
      return;
    }
    this.body = body;
    if (body.claimed) this.end();
    else body.pipe(this);
  }

  bodyData(): void {
    // nobody wants it
  }

  bodyEnd(): void {
    this.finish(true);
  }

  bodyFailed(): void {
    this.finish(false);
  }

  /** Ends it at once. */
  end(): void {
    const { exchange, body } = this;
    if (this.isOver) return;
    this.finish(false);
    if (exchange !== null) {
      exchange.over = true;
      exchange.call?.cancel();
    }
    body?.abandon();
  }

  report(): void {
    this.finish(false); // handlers log what happens to their requests
  }

  interim(): void {
    // nobody waits for it
  }

  private finish(isAnswered: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.ended(isAnswered);
  }
}
