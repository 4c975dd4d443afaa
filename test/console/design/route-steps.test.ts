import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../../cli/output/console-catalogue.ts';
import { Catalogue } from '../../../console/catalogue/catalogue.ts';
import { problemMarks } from '../../../console/pages/design/canvas/problem-marks.ts';
import { heapObjects } from '../../../console/pages/design/canvas/references.ts';
import { allSteps, type CanvasSequence, routeSteps } from '../../../console/pages/design/canvas/route-steps.ts';
import { stepFor } from '../../../console/pages/design/canvas/step-for.ts';
import { settingsOf } from '../../../console/pages/design/canvas/step-settings.ts';
import { pointerOf } from '../../../console/pages/design/forms/pointer.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';

const catalogue = new Catalogue(consoleCatalogue());
const answer = { type: 'StaticResponseHandler', config: { status: 404 } };

/** A sequence as lines, branches indented. */
function lines({ chain, filters, handler, handlerAt }: CanvasSequence, indent = ''): string[] {
  const steps = [...(chain === null ? [] : [chain]), ...filters, ...(handler === null ? [] : [handler])];
  return [
    ...steps.flatMap((step) => [
      `${indent}${step.type || 'elsewhere'}${step.name === null ? '' : ` '${step.name}'`} ${pointerOf(step.path)}`,
      ...step.branches.flatMap(({ label, condition, sequence }) => [
        `${indent} ${label}${condition === null ? '' : ` ${condition}`}`,
        ...lines(sequence, `${indent}  `),
      ]),
    ]),
    ...(handler === null && handlerAt !== null ? [`${indent}no handler ${pointerOf(handlerAt)}`] : []),
  ];
}

const drawn = (document: JsonObject): string[] => lines(routeSteps(document, catalogue));

describe('the steps of a route', () => {
  it('are the filters of a Chain and its handler, with the objects that names stand for', () => {
    const document = {
      heap: [{ name: 'headers', type: 'HeaderFilter', config: { messageType: 'REQUEST' } }],
      handler: {
        type: 'Chain',
        config: { filters: ['headers', { type: 'CsrfFilter' }, 'shared'], handler: 'application' },
      },
    };
    expect(drawn(document)).toEqual([
      'Chain /handler',
      "HeaderFilter 'headers' /handler/config/filters/0",
      'CsrfFilter /handler/config/filters/1',
      "elsewhere 'shared' /handler/config/filters/2",
      "elsewhere 'application' /handler/config/handler",
    ]);
  });

  it('have a branch for each field that leads to other filters or handlers', () => {
    const document = {
      handler: {
        type: 'Chain',
        config: {
          filters: [
            { type: 'ConditionalFilter', config: { condition: '${a}', delegate: 'x' } },
            { type: 'SwitchFilter', config: { onRequest: [{ condition: '${b}', handler: answer }] } },
            { type: 'ConditionEnforcementFilter', config: { condition: '${c}', failureHandler: answer } },
            { type: 'ChainOfFilters', config: { filters: ['y'] } },
          ],
          handler: {
            type: 'DispatchHandler',
            config: {
              bindings: [
                { condition: '${d}', handler: { type: 'Chain', config: { filters: ['z'], handler: 'shop' } } },
                { handler: answer },
              ],
            },
          },
        },
      },
    };
    expect(drawn(document).map((line) => line.replace(/ \/.*/, ''))).toEqual([
      'Chain',
      'ConditionalFilter',
      ' delegate',
      "  elsewhere 'x'",
      'SwitchFilter',
      ' if ${b}',
      '  StaticResponseHandler',
      'ConditionEnforcementFilter',
      ' failureHandler',
      '  StaticResponseHandler',
      'ChainOfFilters',
      ' filters',
      "  elsewhere 'y'",
      'DispatchHandler',
      ' if ${d}',
      '  Chain',
      "  elsewhere 'z'",
      "  elsewhere 'shop'",
      ' otherwise',
      '  StaticResponseHandler',
    ]);
  });

  it('lead through a Chain of the heap, and through a Chain at the end of another one', () => {
    const inner = { type: 'Chain', config: { filters: ['b'], handler: 'c' } };
    const document = {
      heap: [{ name: 'main', type: 'Chain', config: { filters: ['a'], handler: inner } }],
      handler: 'main',
    };
    expect(drawn(document)).toEqual([
      "Chain 'main' /handler",
      "elsewhere 'a' /heap/0/config/filters/0",
      'Chain /heap/0/config/handler',
      ' chain',
      '  Chain /heap/0/config/handler',
      "  elsewhere 'b' /heap/0/config/handler/config/filters/0",
      "  elsewhere 'c' /heap/0/config/handler/config/handler",
    ]);
  });

  it('end for objects that refer to each other in a circle', () => {
    const chain = { name: 'chain', type: 'Chain', config: { filters: ['chain'], handler: 'chain' } };
    expect(drawn({ heap: [chain], handler: 'chain' })).toHaveLength(3);
  });

  it('show what a named object leads to once, however often it is used', () => {
    const heap = Array.from({ length: 60 }, (_, at) => ({
      name: `h${at}`,
      type: 'SequenceHandler',
      config: { bindings: [{ handler: `h${at + 1}` }, { handler: `h${at + 1}` }] },
    }));
    expect(drawn({ heap, handler: 'h0' }).length).toBeLessThan(300);
  });

  it('have an empty place for a handler that is missing', () => {
    expect(drawn({})).toEqual(['no handler /handler']);
    expect(drawn({ handler: { type: 'Chain' } })).toEqual(['Chain /handler', 'no handler /handler/config/handler']);
  });

  it('show objects of unknown types, and values that are no objects', () => {
    expect(drawn({ handler: { type: 'Nonsense', config: { a: 1 } } })).toEqual(['Nonsense /handler']);
    expect(drawn({ handler: 7 })).toEqual(['elsewhere /handler']);
  });
});

describe('the named objects of a route', () => {
  const document: JsonObject = {
    heap: [
      { name: 'keys', type: 'SystemAndEnvSecretStore' },
      { name: 'am', type: 'AmService', config: { secretsProvider: 'keys', agent: { username: 'keys' } } },
      { name: 'odd', type: 'Nonsense', config: { deep: ['am'] } },
      'broken',
    ],
    handler: {
      type: 'Chain',
      config: { filters: [{ type: 'SingleSignOnFilter', config: { amService: 'am' } }], handler: 'end' },
    },
  };

  it('have the places that use them, and not texts that are equal by chance', () => {
    const users = heapObjects(document, catalogue).map(({ name, users: places }) => [name, places.map(pointerOf)]);
    expect(users).toEqual([
      ['keys', ['/heap/1/config/secretsProvider']],
      ['am', ['/handler/config/filters/0/config/amService', '/heap/2/config/deep/0']],
      ['odd', []],
    ]);
  });

  it('and steps get the problems of the places within them', () => {
    const steps = allSteps(routeSteps(document, catalogue));
    const heap = heapObjects(document, catalogue);
    const problem = (severity: 'error' | 'warning', ...path: (string | number)[]) => ({ severity, path, message: 'x' });
    const marks = problemMarks(
      [
        problem('error', 'handler', 'config', 'filters', 0, 'config', 'amService'),
        problem('warning', 'handler', 'config', 'filters', 0, 'config'),
        problem('error', 'heap', 1, 'config'),
        problem('error', 'condition'),
      ],
      steps,
      heap,
    );
    expect(Object.fromEntries(marks)).toEqual({
      '/handler/config/filters/0': { errors: 1, warnings: 1 },
      '/heap/1': { errors: 1, warnings: 0 },
      '': { errors: 1, warnings: 0 },
    });
    expect(stepFor(['handler', 'config', 'handler'], steps, heap)).toEqual(['handler', 'config', 'handler']);
  });
});

describe('the settings of a step', () => {
  it('are its first three fields in short, without comments and hidden ones', () => {
    const config = {
      comment: 'why',
      filters: [],
      rate: { numberOfRequests: 6, duration: '10 s' },
      a: 'x'.repeat(99),
      b: true,
      c: [1],
    };
    expect(settingsOf(config, ['filters'])).toBe(`rate 6, 10 s · a ${'x'.repeat(47)}… · b true · 1 more`);
  });
});
