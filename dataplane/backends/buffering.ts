import { errorText } from '../../platform/error-text.ts';
import { EntityBroken, EntityTooLarge, HeldContentFull, TemporaryFilesFull } from '../engine/message/entity-fault.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import type { Refusal } from '../engine/message/refusal.ts';
import { mapResponse } from '../engine/message/reply.ts';
import type { Request } from '../engine/message/request.ts';
import { type Response, refusalResponse } from '../engine/message/response.ts';
import type { TemporaryStorage } from '../heap/objects/temporary-storage.ts';
import { takeWhole, type WholeRule } from './whole-content.ts';

/** What OpenIG takes whole at most; a storage may say less. */
const LONGEST = 2 ** 31;

type TooLong = (exchange: Exchange, refusal: Refusal, reason: string) => void;

/** Sends requests when they are whole, and passes answers on when they are. What came whole is left as it is. */
export class Buffering {
  private readonly ofRequests: WholeRule;
  private readonly ofAnswers: WholeRule;

  constructor(storage: TemporaryStorage) {
    const limit = Math.min(storage.limit, LONGEST);
    const setting = storage.limit > LONGEST ? 'the most that can be buffered' : 'fileLimit of the TemporaryStorage';
    this.ofRequests = { storage, limit, setting, ofResponse: false };
    this.ofAnswers = { storage, limit, setting, ofResponse: true };
  }

  /** Runs something once the content of a request is here; `failed` hears of content that cannot be kept. */
  before(next: Next, failed: TooLong): Next {
    return (exchange) => (lacksContent(exchange.request) ? this.whenWhole(exchange, next, failed) : next(exchange));
  }

  private async whenWhole(exchange: Exchange, send: Next, failed: TooLong): Promise<Response> {
    const { request } = exchange;
    const { entity } = request;
    const kept = await takeWhole(entity.incoming!, this.ofRequests).catch((error: unknown) => {
      if (error instanceof EntityTooLarge) failed(exchange, 'body-too-large', error.message);
      if (error instanceof TemporaryFilesFull) failed(exchange, 'storage-full', error.message);
      throw error;
    });
    entity.setKept(kept);
    if (exchange.over) {
      entity.abandon();
      return refusalResponse('incomplete');
    }
    request.headers.remove('expect'); // the client has been asked, and the backend need not be
    return mapResponse(send(exchange), exchange, (response) => {
      // nobody sends it any more; where there is an answer somebody may, and gives it back
      if (response.refusal !== null || !kept.begun) entity.abandon();
      return response;
    });
  }

  /** What makes answers whole, or says why they cannot be; `failed` hears of that. */
  receives(failed: (refusal: Refusal, reason: string) => void): (response: Response, exchange: Exchange) => Answer {
    const refuse = (refusal: Refusal, reason: string): Response => {
      failed(refusal, reason);
      return refusalResponse(refusal, reason);
    };
    return (response, { origin }) => {
      const body = response.incomingBody;
      if (body === null) return response;
      if (body.length < 0 && isEventStream(response)) {
        response.abandon();
        return refuse('backend-event-stream', 'the response is a text/event-stream');
      }
      const rule = origin.answerLimit === undefined ? this.ofAnswers : ownRule(origin.answerLimit);
      return takeWhole(body, rule).then(
        (kept) => {
          response.entity.setKept(kept);
          return response;
        },
        (error: unknown) => {
          if (error instanceof EntityBroken) return refusalResponse(body.failure ?? 'backend-cut', error);
          if (error instanceof EntityTooLarge) return refuse('backend-body-too-large', error.message);
          if (error instanceof TemporaryFilesFull) return refuse('storage-full', error.message);
          if (error instanceof HeldContentFull) return refuse('memory-full', error.message);
          return refuse('internal', `the response cannot be buffered: ${errorText(error)}`);
        },
      );
    };
  }
}

/** For answers to calls of the gateway itself, which never go to a file: whoever called reads them whole. */
function ownRule(limit: number): WholeRule {
  const storage: TemporaryStorage = {
    memoryLimit: limit,
    limit,
    open() {
      throw new HeldContentFull(true);
    },
  };
  return { storage, limit, setting: 'the limit for requests of the gateway itself', ofResponse: true };
}

/** Whether content of a request is still to come. */
function lacksContent(request: Request): boolean {
  const entity = request.touchedEntity;
  const body = entity === null ? request.incomingBody : entity.incoming;
  return body !== null && !body.atHand && !body.claimed;
}

function isEventStream({ headers }: Response): boolean {
  const type = headers.get('content-type');
  return type !== null && /^\s*text\/event-stream\s*(?:;|$)/i.test(type);
}
