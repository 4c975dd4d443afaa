import type { SecureContext } from 'node:tls';
import { expect, it } from 'vitest';
import { useTicketKeys } from '../../../dataplane/tls/session-tickets.ts';
import { ChangingTicketKeys } from '../../../dataplane/tls/ticket-keys.ts';

/** What a context asks when it seals a ticket, or opens one. */
type Asked = (name: Buffer, iv: Buffer, isSealed: boolean) => [number, Buffer, Buffer, Buffer?, Buffer?];

function asked(keys = new ChangingTicketKeys()): Asked {
  const context: { enableTicketKeyCallback(): void; onticketkeycallback?: Asked } = { enableTicketKeyCallback() {} };
  expect(useTicketKeys({ context } as unknown as SecureContext, keys)).toBe(true);
  return context.onticketkeycallback!;
}

const NONE = Buffer.alloc(16);

it('each ticket is sealed with a random vector of its own', () => {
  const ask = asked();
  const vectors = Array.from({ length: 1000 }, () => ask(NONE, NONE, true)[4]!.toString('hex'));
  expect(new Set(vectors).size).toBe(1000);
  expect(vectors.every((vector) => vector.length === 32)).toBe(true);
  const ones = Buffer.from(vectors.join(''), 'hex').reduce((sum, byte) => sum + bitsOf(byte), 0);
  expect(Math.abs(ones / (16_000 * 8) - 0.5)).toBeLessThan(0.02);
});

it('a ticket is opened with the key of its name only', () => {
  const keys = new ChangingTicketKeys();
  const ask = asked(keys);
  const [, , , name] = ask(NONE, NONE, true);
  expect(ask(name!, NONE, false)).toEqual([2, keys.current().hmac, keys.current().aes]);
  expect(ask(NONE, NONE, false)[0]).toBe(0);
});

function bitsOf(byte: number): number {
  return byte.toString(2).replaceAll('0', '').length;
}
