import { expect, it } from 'vitest';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';

it.each([
  ['an expression', { compiled: ['a'], read: ['b'], source: ['c'] }],
  ['a target', { assign: ['a'], 'read-only': ['b'], readOnly: ['c'] }],
])('does not treat a map of a user as %s', (_what, add) => {
  const filter = { type: 'HeaderFilter', config: { messageType: 'REQUEST', add } };
  const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
  expect(checkConfigured({ handler: { type: 'Chain', config: { filters: [filter], handler } } })).toEqual([]);
});
