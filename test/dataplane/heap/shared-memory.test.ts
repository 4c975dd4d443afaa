import { expect, it } from 'vitest';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';

it('is the same for the same name and size', () => {
  const take = namedMemory();
  const one = take('a', 8);
  expect(one.buffer.byteLength).toBe(8);
  expect(take('a', 8).buffer).toBe(one.buffer);
  expect(take('a', 16).buffer).not.toBe(one.buffer);
  expect(take('b', 8).buffer).not.toBe(one.buffer);
});

it('is kept while it is referenced, and new after that', () => {
  const opened: string[] = [];
  const closed: string[] = [];
  const take = namedMemory(
    (name, bytes) => {
      opened.push(name);
      return new SharedArrayBuffer(bytes);
    },
    (name) => closed.push(name),
  );
  const first = take('a', 8);
  const second = take('a', 8);
  first.release();
  first.release(); // only once
  expect(take('a', 8).buffer).toBe(second.buffer);
  expect([opened, closed]).toEqual([['a'], []]);
  const third = take('a', 8);
  for (const memory of [second, third]) memory.release();
  expect(closed).toEqual([]);
});

it('is released with its last reference', () => {
  const closed: string[] = [];
  const take = namedMemory(undefined, (name, bytes) => closed.push(`${name} ${bytes}`));
  const one = take('a', 8);
  one.release();
  expect(closed).toEqual(['a 8']);
  expect(take('a', 8).buffer).not.toBe(one.buffer);
});

it('stores nothing after a failed allocation', () => {
  let fails = true;
  const take = namedMemory((_name, bytes) => {
    if (fails) throw new Error('none left');
    return new SharedArrayBuffer(bytes);
  });
  expect(() => take('a', 8)).toThrow('none left');
  fails = false;
  expect(take('a', 8).buffer.byteLength).toBe(8);
});
