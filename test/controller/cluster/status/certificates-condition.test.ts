import { describe, expect, it } from 'vitest';
import {
  certificatesCondition,
  nextStateChange,
} from '../../../../controller/cluster/status/certificates-condition.ts';

const DAY = 24 * 60 * 60 * 1000;
const START = Date.parse('2026-01-01T00:00:00Z');
const shown = (days: number, secret = 'shop/web') => ({ secret, notBefore: START, notAfter: START + days * DAY });

describe('the condition Certificates', () => {
  it.each<[days: number, after: number, reason: string]>([
    [90, 0, 'Ready'],
    [90, 82.9, 'Ready'],
    [90, 83, 'Expiring'],
    [90, 90, 'Expired'],
    [90, -1, 'NotYetValid'],
    // of one that is short the last tenth counts
    [1, 0.89, 'Ready'],
    [1, 0.91, 'Expiring'],
  ])('of a certificate for %i days after %d days is %s', (days, after, reason) => {
    const condition = certificatesCondition({ faults: [], shown: [shown(days)] }, START + after * DAY);
    expect(condition).toMatchObject({ reason, status: reason === 'Ready' });
  });

  it('tells of everything that is wrong, faults first, then the certificate that expired', () => {
    const faults = [
      { reason: 'SecretNotFound', path: ['tls', 0, 'secretName'], message: 'there is no Secret a/b' } as const,
    ];
    const facts = { faults, shown: [shown(90, 'shop/new'), shown(1, 'shop/old')] };
    expect(certificatesCondition(facts, START + 2 * DAY)).toEqual({
      status: false,
      reason: 'SecretNotFound',
      message:
        'spec.tls[0].secretName: there is no Secret a/b; ' +
        'the certificate of the Secret shop/old expired at 2026-01-02T00:00:00Z and was not renewed; ' +
        'clients of hosts without a certificate get that of the connector',
    });
  });

  it('has the earliest expiry while everything is ready', () => {
    const facts = { faults: [], shown: [shown(90), shown(60)] };
    expect(certificatesCondition(facts, START).message).toBe(
      'data planes show all certificates; valid until 2026-03-02T00:00:00Z',
    );
  });

  it('changes next when a certificate becomes valid, is about to expire and expires', () => {
    const facts = { faults: [], shown: [shown(90)] };
    expect(nextStateChange(facts, START - DAY)).toBe(START);
    expect(nextStateChange(facts, START)).toBe(START + 83 * DAY);
    expect(nextStateChange(facts, START + 83 * DAY)).toBe(START + 90 * DAY);
    expect(nextStateChange(facts, START + 90 * DAY)).toBeNull();
  });
});
