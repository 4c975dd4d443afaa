import { networkInterfaces } from 'node:os';
import { plainAddress } from './forwarded-facts.ts';
import type { Endpoint } from './wire.ts';

/** Addresses that stand for every address of this machine. */
const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** The places where the gateway itself listens: a backend there would be the gateway again. */
export class OwnListeners {
  private readonly endpoints: Endpoint[] = [];

  add({ address, port }: Endpoint): void {
    this.endpoints.push({ address: plainAddress(address), port });
  }

  /** Whether connecting to this address would reach one of them. */
  has(address: string, port: number): boolean {
    const plain = plainAddress(address);
    return this.endpoints.some(
      (own) =>
        own.port === port &&
        (own.address === plain || EVERYWHERE.has(plain) || (EVERYWHERE.has(own.address) && isOfThisMachine(plain))),
    );
  }
}

/** Whether an address leads to this machine. */
export function isOfThisMachine(address: string): boolean {
  if (address === '::1' || address.startsWith('127.')) return true;
  return Object.values(networkInterfaces()).some((entries) => entries?.some((entry) => entry.address === address));
}
