import type { Filter, Next } from './exchange.ts';
import { Reply } from './reply.ts';

/** Filters and the handler behind them as one function, composed once: running it looks nothing up. */
export function chain(filters: readonly Filter[], handler: Next): Next {
  let next = handler;
  for (let i = filters.length - 1; i >= 0; i--) next = link(filters[i]!, next);
  return next;
}

function link(filter: Filter, next: Next): Next {
  const inner = filter.constructor.name === 'AsyncFunction' ? promising(next) : next;
  return (exchange) => filter(exchange, inner);
}

/** `await` takes a real promise faster than something that merely has a `then`. */
function promising(next: Next): Next {
  return (exchange) => {
    const answer = next(exchange);
    return answer instanceof Reply ? answer.promise() : answer;
  };
}
