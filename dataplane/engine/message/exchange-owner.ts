import { timeNow } from '../wire/clock.ts';
import { COUNTER, counters } from '../wire/counters.ts';
import { awaiting, keep } from '../wire/turn.ts';
import type { Answer, Exchange, Next, Origin } from './exchange.ts';
import { faultResponse } from './fault.ts';
import { Reply } from './reply.ts';
import { Response, refusalResponse } from './response.ts';

/** The side that an exchange came from: a connection of HTTP/1, or a stream of HTTP/2. */
export interface ExchangeOwner extends Origin {
  readonly handler: Next;
  /** Something failed that only an operator can do something about. */
  report(error: unknown): void;
  /** The answer is decided, once for each exchange. */
  answer(exchange: Exchange, response: Response): void;
}

/** Runs the chain on an exchange; its owner hears the answer, now or later. */
export function runExchange(owner: ExchangeOwner, exchange: Exchange): void {
  let answer: Answer;
  try {
    answer = owner.handler(exchange);
  } catch (error) {
    answer = faultResponse(error, reporter(owner));
  }
  if (answer instanceof Reply) {
    if (answer.settled || answer.watched || exchange.call?.sent !== true) keep(exchange);
    else exchange.request.headers.release(); // sent on, and nobody waits inside the chain: a later read is a mistake
    answer.listen(deliver);
    return;
  }
  if (!(answer instanceof Response)) keep(exchange);
  commitAnswer(owner, exchange, answer);
}

/** The chain has its answer, or will have it. */
export function commitAnswer(owner: ExchangeOwner, exchange: Exchange, answer: Answer): void {
  if (!(answer instanceof Response)) {
    awaiting();
    Promise.resolve(answer as unknown).then(
      (response) =>
        commitAnswer(owner, exchange, response instanceof Response ? response : refusalResponse('no-answer')),
      // when it is over, a filter that still ran had to fail
      (error: unknown) => exchange.over || commitAnswer(owner, exchange, faultResponse(error, reporter(owner))),
    );
    return;
  }
  exchange.request.touchedEntity?.settle();
  if (exchange.over) {
    answer.abandon();
    return;
  }
  if (!answer.final) {
    const error = new RangeError(`${answer.status} is not a valid response status`);
    commitAnswer(owner, exchange, faultResponse(error, reporter(owner)));
    return;
  }
  if (answer.upgraded !== null && answer.status !== 101) refuseSwitch(answer);
  exchange.over = true;
  exchange.answeredAt = timeNow();
  exchange.access?.answered(answer);
  const { call } = exchange;
  if (call !== null && call.response !== answer) {
    call.response?.touchedEntity?.settle();
    call.cancel();
  }
  owner.answer(exchange, answer);
}

/** Nobody waits for the answer any more: what is done for it ends. */
export function cancelExchange(exchange: Exchange): void {
  counters.block[COUNTER.aborted]!++;
  exchange.cut = true;
  if (!exchange.over) {
    exchange.over = true;
    exchange.request.headers.release();
  }
  exchange.call?.cancel();
}

/** A filter made something else of a 101: the client is told that its connection stays as it is, and so it must. */
function refuseSwitch(answer: Response): void {
  answer.upgraded!.abandon();
  answer.upgraded = null;
  answer.headers.remove('upgrade');
}

function deliver(exchange: Exchange, answer: Answer): void {
  commitAnswer(exchange.origin as ExchangeOwner, exchange, answer);
}

function reporter(owner: ExchangeOwner): (error: unknown) => void {
  return (error) => owner.report(error);
}
