import { z } from 'zod';
import { readDuration } from '../../contract/duration.ts';
import { flag, text } from '../../contract/vocabulary/configured.ts';
import { defineDecorator } from '../heap/definition.ts';
import { resolvingBy } from '../heap/objects/access-tokens.ts';
import type { Decorated } from '../heap/objects/decorator.ts';

/** Measures how long objects take. */
export const timerDecorator = defineDecorator({
  type: 'TimerDecorator',
  summary:
    'Measures the time of the decorated object. It writes a log line and the metrics ' +
    '`gw_timerdecorator_handler_elapsed_seconds` for handlers and `gw_timerdecorator_filter_elapsed_seconds`, ' +
    '`gw_timerdecorator_filter_internal_seconds` and `gw_timerdecorator_filter_downstream_seconds` for filters. ' +
    '`internal` is the time of the filter itself, `downstream` that of the objects after it. The time ends when ' +
    'the head of the response has arrived. The metric for access token resolvers is ' +
    '`gw_timerdecorator_accesstokenresolver_elapsed_seconds`; it ends when the token is validated. The decorator ' +
    '`timer` is predefined.',
  config: z.strictObject({
    timeUnit: text()
      .refine(isUnit, 'is not a unit of time')
      .default('ms')
      .describe('Unit of the times in the log, as durations name it: `ms`, `seconds`, `micros`, …'),
  }),
  decoration: flag().describe('Whether the object is measured.'),
  decorates: ['filter', 'handler', 'accessTokenResolver'],
  examples: [{ title: 'Measure in microseconds', config: { timeUnit: 'microseconds' } }],
  create({ timeUnit }, { name: decoratorName, log, plane }) {
    const unit = Number(readDuration(`1 ${timeUnit}`).nanoseconds) / 1e6;
    const shown = (milliseconds: number): string => `${Math.round(milliseconds / unit)} ${timeUnit}`;

    /** Publishes times, in milliseconds, under the name of the object. */
    function meter({ kind, name, qualifiedName }: Decorated): (part: string, time: number) => void {
      const labels = { decorator_name: decoratorName, fully_qualified_name: qualifiedName, name };
      const prefix = `gw_timerdecorator_${kind.toLowerCase()}_`;
      return (part, time) => plane.observe(`${prefix}${part}_seconds`, labels, time / 1000);
    }

    /** Tells how long something took that began then, and of which no part is told apart. */
    function elapsed(decorated: Decorated): (start: number) => void {
      const observe = meter(decorated);
      const lines = log.child({ decorated: decorated.qualifiedName });
      return (start) => {
        const total = performance.now() - start;
        observe('elapsed', total);
        lines.info(`Elapsed time: ${shown(total)}`);
      };
    }

    return {
      handler(handler, measured, decorated) {
        if (!measured) return handler;
        const ended = elapsed(decorated);
        return async function timed(exchange) {
          const start = performance.now();
          try {
            return await handler(exchange);
          } finally {
            ended(start);
          }
        };
      },
      filter(filter, measured, decorated) {
        if (!measured) return filter;
        const observe = meter(decorated);
        const lines = log.child({ decorated: decorated.qualifiedName });
        return async function timed(exchange, next) {
          const start = performance.now();
          let downstream = 0;
          try {
            return await filter(exchange, async (inner) => {
              const passed = performance.now();
              try {
                return await next(inner);
              } finally {
                downstream += performance.now() - passed;
              }
            });
          } finally {
            const total = performance.now() - start;
            const internal = Math.max(0, total - downstream);
            observe('elapsed', total);
            observe('internal', internal);
            observe('downstream', downstream);
            lines.info(
              `Elapsed time: ${shown(total)} (internal: ${shown(internal)}, downstream: ${shown(downstream)})`,
            );
          }
        };
      },
      accessTokenResolver(resolver, measured, decorated) {
        if (!measured) return resolver;
        const ended = elapsed(decorated);
        return resolvingBy(resolver, (token, exchange) => {
          const start = performance.now();
          let isUnderWay = false;
          try {
            const resolution = resolver.resolve(token, exchange);
            if (!(resolution instanceof Promise)) return resolution; // what is at hand must not become a promise
            isUnderWay = true;
            return resolution.finally(() => ended(start));
          } finally {
            if (!isUnderWay) ended(start);
          }
        });
      },
    };
  },
});

function isUnit(name: string): boolean {
  try {
    return /^\p{L}+$/u.test(name) && readDuration(`1 ${name}`).ignored === '';
  } catch {
    return false;
  }
}
