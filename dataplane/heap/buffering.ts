import type { Answer, Exchange, Filter, Next } from '../http/exchange.ts';
import type { Response } from '../http/response.ts';
import { expressionsIn } from './config-walk.ts';

/** Which bodies the expressions of a configuration read. */
export interface NeededEntities {
  readonly request: boolean;
  readonly response: boolean;
}

/** Looks for expressions in a configuration that was read. */
export function neededEntities(config: unknown): NeededEntities {
  const expressions = expressionsIn(config, []);
  const touch = (path: string): boolean => expressions.some(({ value }) => value.compiled?.touches(path) === true);
  return { request: touch('request.entity'), response: touch('response.entity') };
}

/** Reads the bodies that the filter's expressions need before it runs. */
export function bufferingFilter(filter: Filter, needs: NeededEntities): Filter {
  return (exchange, next) => {
    const inner = needs.response ? buffered(next) : next;
    return needs.request ? afterRequest(exchange, () => filter(exchange, inner)) : filter(exchange, inner);
  };
}

/** Reads the request's body before the handler runs. */
export function bufferingHandler(handler: Next, needs: NeededEntities): Next {
  return needs.request ? (exchange) => afterRequest(exchange, () => handler(exchange)) : handler;
}

/** Runs something once the request's body is at hand. */
export function afterRequest(exchange: Exchange, run: () => Answer): Answer {
  const { entity } = exchange.request;
  return entity.peek() === null ? entity.bytes().then(run) : run();
}

/** The same answers, with their bodies at hand. */
export function buffered(next: Next): Next {
  return async (exchange): Promise<Response> => {
    const response = await next(exchange);
    await response.entity.bytes();
    return response;
  };
}
