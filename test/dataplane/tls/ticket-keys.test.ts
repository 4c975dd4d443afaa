import { describe, expect, it } from 'vitest';
import { ChangingTicketKeys } from '../../../dataplane/tls/ticket-keys.ts';

const HOUR = 3_600_000;

function clock(start: number): { now: () => number; pass: (time: number) => void } {
  let time = start;
  return {
    now: () => time,
    pass: (by) => {
      time += by;
    },
  };
}

describe('keys of session tickets', () => {
  it('are the same in units with the same seed, and stay so when they change', () => {
    const { now, pass } = clock(1000 * HOUR);
    const supervisor = new ChangingTicketKeys(null, now);
    const one = new ChangingTicketKeys(supervisor.seed(), now);
    expect(one.current()).toEqual(supervisor.current());
    const first = one.current();
    pass(HOUR);
    const late = new ChangingTicketKeys(supervisor.seed(), now);
    expect(one.current()).not.toEqual(first);
    expect(late.current()).toEqual(one.current());
    pass(5 * HOUR);
    expect(late.current()).toEqual(one.current());
  });

  it('open tickets of this hour and of the one before', () => {
    const { now, pass } = clock(1000 * HOUR);
    const keys = new ChangingTicketKeys(null, now);
    const first = keys.current();
    expect(keys.named(first.name)).toEqual(first);
    pass(HOUR);
    expect(keys.named(first.name)).toEqual(first);
    pass(HOUR);
    expect(keys.named(first.name)).toBeNull();
    expect(keys.named(Buffer.alloc(16))).toBeNull();
  });

  it('differ between data planes, and a seed reveals no earlier keys', () => {
    const { now, pass } = clock(1000 * HOUR);
    const keys = new ChangingTicketKeys(null, now);
    expect(new ChangingTicketKeys(null, now).current()).not.toEqual(keys.current());
    const before = keys.current();
    pass(HOUR);
    const late = new ChangingTicketKeys(keys.seed(), now);
    expect(late.named(before.name)).toBeNull();
  });

  it('have the lengths that tickets require', () => {
    const { name, aes, hmac } = new ChangingTicketKeys().current();
    expect([name.length, aes.length, hmac.length]).toEqual([16, 16, 32]);
  });
});
