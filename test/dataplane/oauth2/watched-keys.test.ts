import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import type { StoredSecret } from '../../../dataplane/heap/objects/secrets.ts';
import { watchKeys } from '../../../dataplane/oauth2/watched-keys.ts';
import { LeasedStore } from '../../../dataplane/secrets/leased-store.ts';
import { newKey, secretHalves } from '../../support/identity/signing-keys.ts';

const one = newKey('ES256', 'one').other;
const two = newKey('ES256', 'two').other;
const secret = secretHalves(Buffer.alloc(32, 7), 'secret');

/** A store whose keys change, and what whoever watches them hears. */
function watched(first: readonly StoredSecret[]) {
  let held: readonly StoredSecret[] | Error = first;
  let reads = 0;
  const source = {
    async read(): Promise<readonly StoredSecret[]> {
      reads++;
      if (held instanceof Error) throw held;
      return held;
    },
  };
  let now = 0;
  const store = new LeasedStore({ name: 's', source, lease: 1000, log: pino({ level: 'silent' }), now: () => now });
  let heard = 0;
  const end = watchKeys(store, ['verify'], 'keys', () => heard++);
  onTestFinished(() => {
    end();
    store.close();
  });
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    end,
    async become(next: readonly StoredSecret[] | Error, later = 0): Promise<number> {
      await settled();
      held = next;
      now += later;
      store.changed();
      await settled();
      return heard;
    },
    get reads() {
      return reads;
    },
  };
}

it.each<[string, readonly StoredSecret[], readonly StoredSecret[], number]>([
  ['nothing changed', [one], [one], 0],
  ['the same key is read again', [one], [{ ...one }], 0],
  ['a key is added', [one], [two, one], 0],
  ['a key is gone', [one, two], [two], 1],
  ['a key is replaced under its name', [one], [{ ...one, key: two.key }], 1],
  ['a key has another name', [one], [{ ...one, stableId: 'other' }], 1],
  ['a key may no longer verify', [one], [{ ...one, usages: new Set() }], 1],
  ['a key is for another algorithm', [one], [{ ...one, algorithm: 'ES384' }], 1],
  ['all are gone', [one, two], [], 1],
  ['what was no key is gone', [one, { kind: 'generic', stableId: 'g', bytes: null as never }], [one], 0],
  ['a secret is replaced', [secret.other], [secretHalves(Buffer.alloc(32, 8), 'secret').other], 1],
])('notifies listeners when keys are removed: %s', async (_, before, after, times) => {
  expect(await watched(before).become(after)).toBe(times);
});

it('notifies listeners once when the keys can no longer be read', async () => {
  const keys = watched([one]);
  const broken = new Error('unreadable');
  expect(await keys.become(broken)).toBe(0); // the lease lasts
  expect(await keys.become(broken, 2000)).toBe(1);
  expect(await keys.become(broken)).toBe(1);
  expect(await keys.become([one])).toBe(1);
  expect(await keys.become([two])).toBe(2);
});

it('notifies nobody after it is closed', async () => {
  const keys = watched([one]);
  await keys.become([one, two]);
  keys.end();
  const { reads } = keys;
  expect(await keys.become([])).toBe(0);
  expect(keys.reads).toBe(reads);
});
