import { describe, expect, it } from 'vitest';
import { Campaign } from '../../../fuzz/campaign.ts';
import { subjects } from '../../../fuzz/subjects.ts';

/** Enough to notice that something broke; `npm run fuzz` looks for what nobody thought of. */
const CASES: Record<string, number> = {
  target: 5000,
  'request-reader': 120,
  'response-reader': 150,
  'request-wire': 120,
  'response-wire': 80,
};

describe('the same bytes have the same outcome in any segmentation', () => {
  it.each(subjects().map(({ subject }) => ({ name: subject.name, subject })))(
    'in a short run of $name',
    async ({ name, subject }) => {
      const campaign = new Campaign(subject, 20_260);
      const discovery = await campaign.run(() => campaign.cases < CASES[name]!);
      await campaign.close();
      expect(discovery).toBeNull();
      expect(campaign.cases).toBeGreaterThanOrEqual(CASES[name]!);
    },
    60_000,
  );
});
