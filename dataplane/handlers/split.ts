import { z } from 'zod';
import { integer, text } from '../../contract/vocabulary/configured.ts';
import { ref } from '../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../contract/vocabulary/rules-about.ts';
import {
  constantText,
  type RuntimeExpression,
  refuseConstantKey,
  runtimeText,
} from '../../contract/vocabulary/runtime.ts';
import { randomNumbers } from '../backends/endpoints/random-numbers.ts';
import { WeightedTargets } from '../backends/endpoints/weighted-targets.ts';
import { defineHandler } from '../heap/definition.ts';

const target = z.strictObject({
  name: text().describe('Name of the target, for `override`.'),
  handler: ref('handler').describe('Handler of the requests of the target.'),
  weight: integer({ min: 0, max: 1_000_000 }).describe(
    'Share of requests in relation to the other targets. A target of weight 0 gets only requests that `override` sends ' +
      'there.',
  ),
});

interface Choosing {
  readonly targets: readonly { readonly name: string }[];
  readonly stickyKey?: RuntimeExpression<string> | undefined;
  readonly override?: RuntimeExpression<string> | undefined;
}

const application = { type: 'ReverseProxyHandler' };

/** Splits requests between handlers by weight. */
export const splitHandler = defineHandler({
  type: 'SplitHandler',
  summary:
    'Splits requests between handlers by weight, for example to give a new version of an application a tenth of the ' +
    'requests. With a `stickyKey`, requests with the same key go to the same target, in all data planes; when weights ' +
    'of two targets change, only as many keys move as the change needs.',
  config: z
    .strictObject({
      targets: z.array(target).min(1).max(100).describe('Handlers and their shares.'),
      stickyKey: runtimeText()
        .optional()
        .describe('Key of a request, such as the user. A request without a key goes to a random target.'),
      override: runtimeText()
        .optional()
        .describe(
          'Name of the target for a request, such as the value of a header that testers send. Other values have no ' +
            'effect. If clients choose the value, every client can choose the target.',
        ),
    })
    .check(
      rulesAbout<{ readonly targets: readonly { readonly name: string; readonly weight: number }[] }>(
        ['targets'],
        ({ targets }, add) => {
          for (const [index, { name }] of targets.entries()) {
            const isTwice = targets.findIndex((one) => one.name === name) < index;
            if (isTwice) add(['targets', index, 'name'], `is there twice: ${name}`);
          }
          const isEmpty = targets.length > 0 && targets.every(({ weight }) => weight === 0);
          if (isEmpty) add(['targets'], 'must have a target of a weight over 0');
        },
      ),
      rulesAbout<Choosing>(['targets', 'stickyKey', 'override'], ({ targets, stickyKey, override }, add) => {
        refuseConstantKey(stickyKey, 'stickyKey', add);
        const named = override === undefined ? null : constantText(override);
        if (named === null || targets.some(({ name }) => name === named)) return;
        const hint = "an expression is written ${…}, such as ${request.headers['X-Version'][0]}";
        add(['override'], `has no effect: no target has the name '${named}'`, 'value', hint);
      }),
    ),
  examples: [
    {
      title: 'A tenth of the users gets the new version, and testers get what they ask for',
      config: {
        targets: [
          { name: 'stable', weight: 90, handler: { ...application, baseURI: 'http://orders.shop.svc:8080' } },
          { name: 'canary', weight: 10, handler: { ...application, baseURI: 'http://orders-next.shop.svc:8080' } },
        ],
        stickyKey: '${contexts.oauth2.accessToken.info.sub}',
        override: "${request.headers['X-Version'][0]}",
      },
    },
  ],
  create({ targets, stickyKey, override }, { resolve }) {
    const handlers = targets.map(({ handler }) => resolve(handler));
    const byName = new Map(targets.map(({ name }, index) => [name, handlers[index]!]));
    const weighted = new WeightedTargets(
      targets.map(({ weight }) => weight),
      randomNumbers(),
    );
    return function split(exchange) {
      const name = override?.read(exchange, null) ?? null;
      const named = name === null ? undefined : byName.get(name);
      if (named !== undefined) return named(exchange);
      return handlers[weighted.choose(stickyKey?.read(exchange, null) ?? null)]!(exchange);
    };
  },
});
