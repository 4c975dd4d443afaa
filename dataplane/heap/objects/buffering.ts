import type { RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import type { Answer, Exchange, Filter, Next } from '../../engine/message/exchange.ts';
import { isForm } from '../../engine/message/form-content.ts';
import type { Response } from '../../engine/message/response.ts';
import { expressionsIn } from '../config-walk.ts';

/** When the request's body must be at hand: always, when it is a form, or never. */
export type BodyNeed = 'always' | 'form' | 'never';

/** Which bodies the expressions of a configuration read. */
export interface NeededEntities {
  readonly request: BodyNeed;
  readonly response: boolean;
}

/** Part of the request body that an expression needs. */
export function bodyNeed(expression: RuntimeExpression<unknown> | null): BodyNeed {
  const compiled = expression?.compiled;
  if (compiled?.touches('request.entity') === true) return 'always';
  return compiled?.touches('request.form') === true ? 'form' : 'never';
}

/** Whether what is needed of the request's body is not there yet. */
export function lacksBody(need: BodyNeed, { request }: Exchange): boolean {
  if (need === 'never' || (need === 'form' && !isForm(request))) return false;
  return request.entity.peekDecoded() === null;
}

/** Looks for expressions in a configuration that was read. */
export function neededEntities(config: unknown): NeededEntities {
  const expressions = expressionsIn(config, []);
  const needs = expressions.map(({ value }) => bodyNeed(value));
  const request = needs.includes('always') ? 'always' : needs.includes('form') ? 'form' : 'never';
  return { request, response: expressions.some(({ value }) => value.compiled?.touches('response.entity') === true) };
}

/** Reads the bodies that the filter's expressions need before it runs. */
export function bufferingFilter(filter: Filter, needs: NeededEntities): Filter {
  return (exchange, next) => {
    const inner = needs.response ? buffered(next) : next;
    return lacksBody(needs.request, exchange)
      ? afterRequest(exchange, () => filter(exchange, inner))
      : filter(exchange, inner);
  };
}

/** Reads the request's body before the handler runs. */
export function bufferingHandler(handler: Next, needs: NeededEntities): Next {
  if (needs.request === 'never') return handler;
  return (exchange) =>
    lacksBody(needs.request, exchange) ? afterRequest(exchange, () => handler(exchange)) : handler(exchange);
}

/** Runs something once the request's body is at hand and decoded. */
export function afterRequest(exchange: Exchange, run: () => Answer): Answer {
  const { entity } = exchange.request;
  return entity.peekDecoded() === null ? entity.decoded().then(run) : run();
}

/** Runs something once the request's body is at hand as it came, so that it can be sent more than once. */
export function afterBody(exchange: Exchange, run: () => Answer): Answer {
  const { entity } = exchange.request;
  return entity.peek() === null ? entity.bytes().then(run) : run();
}

/** The same answers, with their bodies at hand and decoded. */
export function buffered(next: Next): Next {
  return async (exchange): Promise<Response> => {
    const response = await next(exchange);
    await response.entity.decoded();
    return response;
  };
}
