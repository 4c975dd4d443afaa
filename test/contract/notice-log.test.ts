import { expect, it } from 'vitest';
import { inNotices, NoticeLog } from '../../contract/notice-log.ts';

const HOUR = 60 * 60 * 1000;
const NOW = Date.UTC(2026, 0, 1);
const entry = (key: string, at = NOW) => ({ key, at });

it('returns what is new, and what ends later sessions than before', () => {
  const log = new NoticeLog();
  expect(log.add([entry('a'), entry('b')], NOW)).toEqual([entry('a'), entry('b')]);
  expect(log.add([entry('a'), entry('b', NOW + 1), entry('b', NOW)], NOW + 1)).toEqual([entry('b', NOW + 1)]);
  expect(log.all(NOW + 1)).toEqual([entry('a'), entry('b', NOW + 1)]);
});

it('forgets entries that no session is old enough for', () => {
  const log = new NoticeLog({ most: 10, lifetime: HOUR });
  log.add([entry('a'), entry('b', NOW + HOUR / 2)], NOW + HOUR / 2);
  expect(log.all(NOW + HOUR)).toEqual([entry('b', NOW + HOUR / 2)]);
  expect(log.add([entry('a')], NOW + HOUR)).toEqual([]);
});

it('lets the oldest entries make room', () => {
  const log = new NoticeLog({ most: 2, lifetime: HOUR });
  log.add([entry('a'), entry('b')], NOW);
  log.add([entry('a', NOW + 1), entry('c')], NOW + 1);
  expect(log.all(NOW + 1).map(({ key }) => key)).toEqual(['a', 'c']);
});

it('keeps entries of operators and other tenants where those of one tenant are too many', () => {
  const log = new NoticeLog({ most: 640, lifetime: HOUR });
  const kept = [
    ...Array.from({ length: 320 }, (_, at) => `A${at}`),
    ...Array.from({ length: 10 }, (_, at) => `z${at}`),
  ];
  log.add(
    kept.map((key) => entry(key)),
    NOW,
  );
  for (let at = 0; at < 5000; at++) log.add([entry(`g${at}`, NOW + 1)], NOW + 1);
  const keys = log.all(NOW + 1).map(({ key }) => key);
  expect(kept.filter((key) => !keys.includes(key))).toEqual([]);
  expect([keys.length, keys.at(-1)]).toEqual([640, 'g4999']);
  for (let at = 0; at < 5000; at++) log.add([entry(`B${at}`, NOW + 1)], NOW + 1);
  const after = log.all(NOW + 1).map(({ key }) => key);
  expect(after.filter((key) => key.startsWith('z'))).toHaveLength(10);
  expect(after.filter((key) => key.startsWith('g'))).toHaveLength(10);
  expect(after.length).toBe(640);
});

it('does not let a clock that is far ahead end sessions of tomorrow', () => {
  const log = new NoticeLog();
  log.add([entry('a', NOW + 24 * HOUR), entry('b', NOW + 1000)], NOW);
  expect(log.all(NOW)).toEqual([entry('a', NOW + 5 * 60_000), entry('b', NOW + 1000)]);
});

it('splits entries into notices of at most a thousand', () => {
  const entries = Array.from({ length: 2001 }, (_, at) => entry(String(at)));
  expect(inNotices(entries).map(({ length }) => length)).toEqual([1000, 1000, 1]);
  expect(inNotices(entries).flat()).toEqual(entries);
  expect(inNotices([])).toEqual([]);
});
