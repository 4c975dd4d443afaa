import { expect, it } from 'vitest';
import { outcomeOf, outcomeOfError } from '../../../dataplane/backends/backend-failure.ts';
import { EntityBroken, EntityTooLarge, EntityUndecodable } from '../../../dataplane/engine/message/entity-fault.ts';
import type { Refusal } from '../../../dataplane/engine/message/refusal.ts';
import { Response, refusalResponse } from '../../../dataplane/engine/message/response.ts';

const failures: readonly Refusal[] = [
  'backend-address',
  'backend-connect',
  'backend-connect-timeout',
  'backend-proxy',
  'backend-tls',
  'backend-closed',
  'backend-timeout',
  'backend-malformed',
  'backend-head-too-large',
  'backend-cut',
  'backend-upgrade',
];
const others: readonly Refusal[] = [
  'backend-unnamed',
  'backend-scheme',
  'backend-egress',
  'backend-limit',
  'backend-proxy-credentials',
  'backend-body-too-large',
  'backend-event-stream',
  'backend-queue-full',
  'backend-queue-timeout',
  'loop',
  'cancelled',
  'incomplete',
  'internal',
  'circuit-open',
];

it.each(failures)('%s is a failure of the backend', (refusal) => {
  expect(outcomeOf(refusalResponse(refusal))).toBe('failed');
});

it.each(others)('%s is not a failure of the backend', (refusal) => {
  expect(outcomeOf(refusalResponse(refusal))).toBe('unknown');
});

it.each([200, 404, 500, 502, 503])('%i is an answer', (status) => {
  expect(outcomeOf(new Response(status))).toBe('answered');
});

it.each([
  [new Error('surprise'), 'failed'],
  [new EntityBroken(true), 'failed'],
  [new EntityBroken(false), 'unknown'],
  [new EntityTooLarge(1, true, ''), 'unknown'],
  [new EntityTooLarge(1, false, ''), 'unknown'],
  [new EntityUndecodable('x', true), 'unknown'],
  [new EntityUndecodable('x', false), 'unknown'],
] as const)('%s is reported as: %s', (error, outcome) => {
  expect(outcomeOfError(error)).toBe(outcome);
});
