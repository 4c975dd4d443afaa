import { describe, expect, it } from 'vitest';
import { QueueBudget, type QueueClaim, TENANT_QUEUE_BYTES } from '../../../../dataplane/audit/writer/queue-budget.ts';

const EVENT = 100_000;

/** Fills a queue until there is no room. @returns its bytes */
function filled(claim: QueueClaim): number {
  let events = 0;
  while (claim.hasRoomFor(EVENT)) claim.use(++events, events * EVENT);
  return events * EVENT;
}

describe('the memory for audit queues of tenants', () => {
  it('is limited for a tenant however many handlers it has, and each of them has a share', () => {
    const budget = new QueueBudget();
    const claims = Array.from({ length: 100 }, () => budget.claim('shop'));
    const sizes = claims.map(filled);
    expect(sizes.reduce((sum, one) => sum + one)).toBeLessThan(TENANT_QUEUE_BYTES);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  it('is limited for all tenants together, and leaves room for each', () => {
    const budget = new QueueBudget();
    const claims = Array.from({ length: 50 }, (_, at) => budget.claim(`tenant-${at}`));
    const sizes = claims.map(filled);
    expect(sizes.reduce((sum, one) => sum + one)).toBeLessThan(4 * TENANT_QUEUE_BYTES);
    expect(Math.min(...sizes)).toBeGreaterThan(1 << 20);
  });

  it('is free again when events are delivered or a handler is gone', () => {
    const budget = new QueueBudget();
    const [first, second] = [budget.claim('shop'), budget.claim('shop')];
    const most = filled(first);
    first.use(0, 0);
    expect(filled(first)).toBe(most);
    first.end();
    expect(filled(second)).toBeGreaterThan(most);
  });

  it('is what an operator sets, and does not limit operators', () => {
    const budget = new QueueBudget();
    budget.limit(1 << 20);
    expect(filled(budget.claim('shop'))).toBeLessThan(1 << 20);
    const own = budget.claim('');
    own.use(1000, 1 << 30);
    expect(own.hasRoomFor(EVENT)).toBe(true);
  });
});
