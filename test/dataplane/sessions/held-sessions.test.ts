import { describe, expect, it } from 'vitest';
import { heldKeeper } from '../../support/state/held-sessions.ts';

describe('a session in memory that is renewed', () => {
  it('has a new id and its values, and its old id is worth nothing', () => {
    const { begin, open, save, read, table } = heldKeeper();
    const id = begin({ cart: 'full' });
    const session = open(id);
    session.renew();
    session.set('user', 'ann');
    const fresh = save(session)!;
    expect(fresh).toMatch(/^[\w-]{32}$/);
    expect(fresh).not.toBe(id);
    expect([read(id), read(fresh), table.size]).toEqual([{}, { cart: 'full', user: 'ann' }, 1]);
  });

  it.each(['clear', 'delete'] as const)('is empty when another request ended it meanwhile with %s', (way) => {
    const { begin, open, save, table, read } = heldKeeper();
    const id = begin({ user: 'ann' });
    const [renewing, leaving] = [open(id), open(id)];
    renewing.renew();
    renewing.set('more', 'rights');
    if (way === 'clear') leaving.clear();
    else leaving.delete('user');
    expect(save(leaving)).toBeNull();
    expect(save(renewing)).toBeUndefined();
    expect([read(id), table.size]).toEqual([{}, 0]);
  });

  it('keeps the values that another request saved meanwhile', () => {
    const { begin, open, save, read } = heldKeeper();
    const id = begin({ user: 'ann' });
    const [renewing, other] = [open(id), open(id)];
    renewing.renew();
    other.set('cart', 'full');
    expect(save(other)).toBeUndefined();
    expect(read(save(renewing)!)).toEqual({ user: 'ann', cart: 'full' });
  });

  it('is one session after two renewals at once', () => {
    const { begin, open, save, read, table } = heldKeeper();
    const id = begin({ user: 'ann' });
    const [one, other] = [open(id), open(id)];
    one.renew();
    other.renew();
    const fresh = save(one)!;
    expect(save(other)).toBeUndefined();
    expect([read(fresh), table.size]).toEqual([{ user: 'ann' }, 1]);
  });

  it('needs no further room among the sessions, and stays as it was when its values do not fit', () => {
    const { begin, open, save, read } = heldKeeper({ sessions: 1, bytes: 4096 });
    const id = begin({ user: 'ann' });
    const session = open(id);
    session.renew();
    const fresh = save(session)!;
    expect(read(fresh)).toEqual({ user: 'ann' });
    const large = open(fresh);
    large.renew();
    large.set('more', 'x'.repeat(5000));
    expect(() => save(large)).toThrow('no room');
    expect(read(fresh)).toEqual({ user: 'ann' });
  });

  it('holds nothing of before when it was cleared and filled again, also when it was ended meanwhile', () => {
    const { begin, open, save, read, table } = heldKeeper();
    const id = begin({ user: 'ann' });
    const [again, leaving] = [open(id), open(id)];
    again.clear();
    again.set('user', 'bob');
    leaving.clear();
    save(leaving);
    const fresh = save(again)!;
    expect([read(id), read(fresh), table.size]).toEqual([{}, { user: 'bob' }, 1]);
  });
});

describe('a session in memory that parallel requests change', () => {
  it('keeps a value that was set while another request removed the last one', () => {
    const { begin, open, save, read } = heldKeeper();
    const id = begin({ one: '1' });
    const [removing, setting] = [open(id), open(id)];
    removing.delete('one');
    setting.set('two', '2');
    save(setting);
    expect(save(removing)).toBeUndefined();
    expect(read(id)).toEqual({ two: '2' });
  });
});
