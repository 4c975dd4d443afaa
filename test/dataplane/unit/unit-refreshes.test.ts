import { expect, it } from 'vitest';
import type { RefreshNews } from '../../../contract/channel.ts';
import type { UnitReport } from '../../../dataplane/unit/unit-messages.ts';
import { UnitRefreshes } from '../../../dataplane/unit/unit-refreshes.ts';

const claim: RefreshNews = { type: 'refresh', realm: 'a', key: 'k', stage: 'claimed', claim: 1 };

it('resolves each report with the answer of its number', async () => {
  const reports: UnitReport[] = [];
  const refreshes = new UnitRefreshes((report) => void reports.push(report));
  const [first, second] = [refreshes.tell(claim), refreshes.tell(claim)];
  expect(reports).toEqual([
    { kind: 'refresh', number: 1, news: claim },
    { kind: 'refresh', number: 2, news: claim },
  ]);
  refreshes.told(2, true);
  refreshes.told(1, false);
  refreshes.told(3, true);
  expect(await Promise.all([first, second])).toEqual([false, true]);
});

it('calls one listener of the realm, and the next one once it has ended', () => {
  const refreshes = new UnitRefreshes(() => {});
  const heard: string[] = [];
  const end = refreshes.hear('a', () => void heard.push('first'));
  refreshes.hear('a', () => void heard.push('second'));
  refreshes.hear('b', () => void heard.push('other'));
  refreshes.receive(claim);
  end();
  refreshes.receive(claim);
  refreshes.receive({ ...claim, realm: 'unknown' });
  expect(heard).toEqual(['first', 'second']);
});
