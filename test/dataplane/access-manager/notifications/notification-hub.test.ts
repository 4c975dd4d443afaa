import { EventEmitter, once } from 'node:events';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { EventJournal } from '../../../../dataplane/access-manager/notifications/event-journal.ts';
import { NotificationHub } from '../../../../dataplane/access-manager/notifications/notification-hub.ts';
import type { LinkTerms } from '../../../../dataplane/access-manager/notifications/notification-link.ts';
import { namedMemory } from '../../../../dataplane/heap/shared-memory.ts';
import { UnitLives } from '../../../../dataplane/heap/unit-lives.ts';

const TERMS: LinkTerms = {
  tokens: { topic: '/oauth2/grant', grantId: [], tokenId: [] },
  longestMessage: 1024,
  confirmationTimeout: 0,
  silence: 0,
  reconnectDelay: 1000,
  renewalDelay: 0,
  initialAttempts: -1,
};

it('connects anew after another unit had the lease, because its own events were not recorded meanwhile', async () => {
  const sharedMemory = namedMemory();
  const dials = new EventEmitter();
  const hub = new NotificationHub({ identity: 'one', sharedMemory, unit: 0, log: pino({ enabled: false }) });
  hub.join({
    terms: TERMS,
    show: () => () => {},
    confirmed: () => {},
    dial: () => {
      dials.emit('dial');
      return new Promise(() => {});
    },
  });
  const first = once(dials, 'dial');
  onTestFinished(hub.watch({}));
  await first;
  const { buffer } = sharedMemory(JSON.stringify(['notifications', 'one']), EventJournal.bytes);
  const later = performance.now() + 1e12;
  const other = new EventJournal(buffer, 1, new UnitLives(new SharedArrayBuffer(UnitLives.memory.bytes)), () => later);
  const second = once(dials, 'dial');
  expect(other.lease(99)).toBe(true);
  other.release(99);
  await second;
  expect(hub.isHeard).toBe(false);
});
