import { describe, expect, it } from 'vitest';
import { SessionMemory } from '../../../dataplane/sessions/session-memory.ts';
import { SessionTable } from '../../../dataplane/sessions/session-table.ts';

const LIVES = { idle: 1000, absolute: 5000 };

function tables(limits = { sessions: 100, bytes: 64 << 10 }, lives = LIVES) {
  const clock = { now: 1_000_000 };
  const memory = new SharedArrayBuffer(SessionMemory.bytes(limits));
  const open = () => new SessionTable(memory, limits, lives, () => clock.now);
  return { clock, one: open(), other: open() };
}

describe('the table of sessions', () => {
  it('shows one unit what another one saved', () => {
    const { one, other } = tables();
    expect(one.create('a', 'first')).toBe(true);
    const held = other.find('a')!;
    expect(held.text).toBe('first');
    expect(other.replace('a', held.version, 'é'.repeat(1000))).toBe('saved');
    expect(one.find('a')?.text).toBe('é'.repeat(1000));
    expect(one.replace('a', held.version, 'late')).toBe('changed');
    one.remove('a');
    expect([other.find('a'), other.replace('a', held.version + 1, 'x'), other.size]).toEqual([null, 'gone', 0]);
  });

  it('adds what is not there, and returns what another unit added', () => {
    const { clock, one, other } = tables({ sessions: 2, bytes: 64 << 10 });
    expect(one.add('a', 'first')).toBe('added');
    expect(other.add('a', 'second')).toEqual({ text: 'first', beganAt: clock.now, version: 1 });
    expect([one.add('b', 'x'), one.add('c', 'x')]).toEqual(['added', 'full']);
    clock.now += 1000;
    expect([other.add('c', 'x'), other.add('a', 'second'), one.find('a')?.text]).toEqual(['added', 'added', 'second']);
  });

  it('renews and removes only a session that is still of the given version', () => {
    const { clock, one, other } = tables();
    one.create('a', 'first');
    expect([other.renew('a', 2, 'b', 'x'), other.remove('a', 2)]).toEqual(['changed', 'changed']);
    clock.now += 900;
    expect(other.renew('a', 1, 'b', 'second')).toBe('saved');
    expect([one.find('a'), one.find('b')]).toEqual([null, { text: 'second', beganAt: clock.now, version: 2 }]);
    expect([one.renew('a', 1, 'c', 'x'), one.remove('a', 1), one.find('c'), one.size]).toEqual([
      'gone',
      'gone',
      null,
      1,
    ]);
    expect([one.remove('b', 2), other.size]).toEqual(['saved', 0]);
  });

  it('ends a session that is idle, and one that is old', () => {
    const { clock, one } = tables();
    one.create('idle', 'x');
    one.create('used', 'x');
    for (let step = 0; step < 4; step++) {
      clock.now += 999;
      expect(one.find('used')).not.toBeNull();
    }
    expect(one.find('idle')).toBeNull();
    clock.now += 999;
    expect(one.find('used')).not.toBeNull();
    clock.now += 5;
    expect(one.find('used')).toBeNull();
  });

  it('refuses more sessions than it may hold, and takes new ones when others are over', () => {
    const { clock, one } = tables({ sessions: 3, bytes: 64 << 10 });
    for (const id of ['a', 'b', 'c']) expect(one.create(id, id)).toBe(true);
    expect(one.create('d', 'd')).toBe(false);
    expect(['a', 'b', 'c'].map((id) => one.find(id)?.text)).toEqual(['a', 'b', 'c']);
    clock.now += 1001;
    expect(one.create('d', 'd')).toBe(true);
    expect([one.find('d')?.text, one.find('a'), one.size]).toEqual(['d', null, 1]);
  });

  it('refuses more bytes than it may hold, and keeps the content from before', () => {
    const { one } = tables({ sessions: 100, bytes: 4096 });
    expect(one.create('a', 'x'.repeat(2000))).toBe(true);
    expect(one.create('b', 'x'.repeat(4000))).toBe(false);
    expect(one.replace('a', 1, 'y'.repeat(3900))).toBe('full');
    expect(one.find('a')?.text).toBe('x'.repeat(2000));
    expect(one.create('b', 'x'.repeat(1900))).toBe(true);
    one.remove('a');
    expect(one.create('c', 'x'.repeat(2000))).toBe(true);
  });

  it('stays sound over many random steps', () => {
    const { one, other, clock } = tables({ sessions: 20, bytes: 16 << 10 });
    const expected = new Map<string, string>();
    let seed = 7;
    const random = (most: number): number => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % most;
    };
    for (let step = 0; step < 5000; step++) {
      clock.now += 1000 / 5000;
      const table = random(2) === 0 ? one : other;
      const id = `id${random(30)}`;
      const text = String(step).padEnd(random(900), '-');
      const held = table.find(id);
      expect(held?.text).toBe(expected.get(id));
      if (held === null) {
        if (table.create(id, text)) expected.set(id, text);
      } else if (random(3) === 0) {
        expect(table.remove(id, held.version)).toBe('saved');
        expected.delete(id);
      } else if (random(2) === 0) {
        const fresh = `fresh${step}`;
        if (table.renew(id, held.version, fresh, text) !== 'saved') continue;
        expect([table.find(id), table.find(fresh)?.text]).toEqual([null, text]);
        expect(table.renew(fresh, held.version + 1, id, text)).toBe('saved');
        expected.set(id, text);
      } else if (table.replace(id, held.version, text) === 'saved') expected.set(id, text);
      expect(table.size).toBe(expected.size);
    }
    expect(expected.size).toBeGreaterThan(5);
  });
});
