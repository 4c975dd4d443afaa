import { expect, it } from 'vitest';
import { decisionText } from '../../../../dataplane/audit/events/decision-text.ts';
import type { Exchange } from '../../../../dataplane/engine/message/exchange.ts';
import { type Refusal, refusals } from '../../../../dataplane/engine/message/refusal.ts';

it('cuts the reason of a decision at 256 characters', () => {
  const [refusal] = Object.keys(refusals) as Refusal[];
  const decision = { refusal, reason: 'x'.repeat(10_000), type: 'T', object: 'o' } as unknown as Exchange['decision'];
  const { reason } = JSON.parse(`{${decisionText(refusal!, decision, null, null)}}`) as { readonly reason: string };
  expect(reason).toBe(`${'x'.repeat(256)}…`);
});
