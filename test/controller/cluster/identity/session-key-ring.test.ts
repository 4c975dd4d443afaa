import { expect, it } from 'vitest';
import { defaultKeyTimes, SessionKeyRing } from '../../../../controller/cluster/identity/session-key-ring.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 0, 1);

/** The secrets after so many hours of looks every half hour, the one that seals first, each as a letter. */
function schedule(hours: number): string[] {
  let ring = SessionKeyRing.create(BEGIN);
  const letters = new Map<string, string>();
  const letter = (secret: string): string => {
    if (!letters.has(secret)) letters.set(secret, String.fromCharCode(65 + letters.size));
    return letters.get(secret)!;
  };
  const seen: string[] = [];
  for (let at = 0; at <= hours; at += 0.5) {
    ring = ring.rotate(BEGIN + at * HOUR, defaultKeyTimes);
    const text = `${at} ${ring.secrets.map(letter).join('')}`;
    if (seen.at(-1)?.split(' ')[1] !== text.split(' ')[1]) seen.push(text);
  }
  return seen;
}

it('sends a key an hour before its first use, and keeps the one before for a day', () => {
  expect(schedule(72)).toEqual(['0 A', '23 AB', '24 BA', '47 BCA', '48 CB', '71 CDB', '72 DC']);
});

it('keeps a key for longer after its last use than a session lasts', () => {
  let ring = SessionKeyRing.create(BEGIN);
  const [first = ''] = ring.secrets;
  let lastUse = BEGIN;
  let now = BEGIN;
  while (ring.secrets.includes(first)) {
    if (ring.secrets[0] === first) lastUse = now;
    now += HOUR / 4;
    ring = ring.rotate(now, defaultKeyTimes);
  }
  expect(now - lastUse).toBeGreaterThan(12 * HOUR);
});

it('waits for the lead although the controller was away when the rotation was due', () => {
  const late = SessionKeyRing.create(BEGIN).rotate(BEGIN + 30 * DAY, defaultKeyTimes);
  expect(late.secrets).toHaveLength(2);
  const [active] = late.secrets;
  expect(late.rotate(BEGIN + 30 * DAY + HOUR - 1, defaultKeyTimes)).toBe(late);
  expect(late.rotate(BEGIN + 30 * DAY + HOUR, defaultKeyTimes).secrets[1]).toBe(active);
});

it('rotates although an earlier clock was far ahead', () => {
  const ring = SessionKeyRing.create(BEGIN + 3650 * DAY);
  expect(ring.rotate(BEGIN, defaultKeyTimes).secrets).toHaveLength(2);
});

it('does not rotate because the clocks of two controllers differ by minutes', () => {
  const ring = SessionKeyRing.create(BEGIN).rotate(BEGIN + 23 * HOUR, defaultKeyTimes);
  expect(ring.rotate(BEGIN + 23 * HOUR - 10 * 60_000, defaultKeyTimes)).toBe(ring);
});

it('reads what it wrote', () => {
  const ring = SessionKeyRing.create(BEGIN).rotate(BEGIN + DAY, defaultKeyTimes);
  expect(SessionKeyRing.parse(ring.serialised())?.secrets).toEqual(ring.secrets);
});

const sound = { secret: 'A'.repeat(43), since: 1 };

it.each([
  ['no JSON', '{'],
  ['another form', '{"keys":[]}'],
  ['a short secret', JSON.stringify({ active: { ...sound, secret: 'AAAA' }, next: null, previous: null })],
  ['a date as text', JSON.stringify({ active: { ...sound, since: '2026' }, next: null, previous: null })],
  ['an unknown field', JSON.stringify({ active: sound, next: null, previous: null, more: 1 })],
  ['no active key', JSON.stringify({ active: null, next: sound, previous: null })],
])('takes %s for no keys', (_, text) => {
  expect(SessionKeyRing.parse(text)).toBeNull();
});
