import { describe, expect, it } from 'vitest';
import type { CompiledRoute, Snapshot } from '../../../controller/compile/snapshot.ts';
import { Publisher } from '../../../controller/publish/publisher.ts';

/** A snapshot from `id:content` or `id:content:name` words. */
function snapshot(words: string, base = 'b', defaults: readonly string[] = []): Snapshot {
  const routes = words
    .split(' ')
    .filter((word) => word !== '')
    .map((word): CompiledRoute => {
      const [id = '', content = '', name = id] = word.split(':');
      return { router: 'r', id, name, document: { content }, hash: word };
    });
  return { revision: `${base} ${words} ${defaults}`, base: { document: {}, hash: base }, routes, defaults };
}

describe('Publisher', () => {
  it('starts with a full snapshot', () => {
    const update = new Publisher().update(snapshot('a:1 b:1', 'b', ['r']));
    expect(update).toMatchObject({ base: { hash: 'b' }, remove: [], defaults: ['r'] });
    expect(update?.set.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it.each<[string, string, string, string[], string[]]>([
    ['a changed route', 'a:1 b:1', 'a:2 b:1', ['a'], []],
    ['a new route', 'a:1', 'a:1 b:1', ['b'], []],
    ['a route that is gone', 'a:1 b:1', 'b:1', [], ['a']],
    ['a renamed route', 'a:1:x', 'a:1:y', ['a'], []],
    ['all at once', 'a:1 b:1 c:1', 'b:2 c:1 d:1', ['b', 'd'], ['a']],
  ])('publishes %s only', (_, before, after, set, remove) => {
    const publisher = new Publisher();
    publisher.update(snapshot(before));
    const update = publisher.update(snapshot(after));
    expect(update?.base).toBeNull();
    expect(update?.set.map(({ id }) => id)).toEqual(set);
    expect(update?.remove).toEqual(remove.map((id) => ({ router: 'r', id })));
  });

  it('publishes nothing without a change', () => {
    const publisher = new Publisher();
    publisher.update(snapshot('a:1'));
    expect(publisher.update(snapshot('a:1'))).toBeNull();
  });

  it('sends a new base and leaves the routes that are the same', () => {
    const publisher = new Publisher();
    publisher.update(snapshot('a:1', 'b'));
    expect(publisher.update(snapshot('a:1', 'c'))).toMatchObject({ base: { hash: 'c' }, set: [], remove: [] });
  });
});
