import { expect, it } from 'vitest';
import type { EndedRecord } from '../../../contract/channel.ts';
import { endedKey } from '../../../dataplane/openid/lifetime/ended-sessions.ts';
import { PacedNotices } from '../../../dataplane/supervisor/paced-notices.ts';
import { ManualClock } from '../../support/gateways/manual-clock.ts';

const ended = (realm: string, count: number): EndedRecord[] =>
  Array.from({ length: count }, (_, at) => ({ key: endedKey(realm, at), at: 1000 + at }));

it('sessions that a tenant ends in masses wait, and those of others are announced at once', async () => {
  const clock = new ManualClock();
  const announced: EndedRecord[] = [];
  const notices = new PacedNotices((entries) => announced.push(...entries), clock);
  const flood = ended('flood', 160);
  for (const entry of flood) notices.add([entry]);
  expect(announced).toEqual(flood.slice(0, 150));
  const others = [...ended('', 500), ...ended('shop', 3)];
  notices.add(others);
  expect(announced.slice(150)).toEqual(others);
  await clock.pass(4000);
  expect(announced.slice(653)).toEqual(flood.slice(150, 158));
  await clock.pass(10_000);
  expect(announced.slice(661)).toEqual(flood.slice(158));
});
