import { networkInterfaces } from 'node:os';
import { type IpAddress, readIpAddress } from '../../../contract/ip-address.ts';
import type { Endpoint } from './wire.ts';

/** The places where the gateway itself listens: a backend there would be the gateway again. */
export class OwnListeners {
  private readonly endpoints: { readonly at: IpAddress | null; readonly port: number }[] = [];

  add({ address, port }: Endpoint): void {
    this.endpoints.push({ at: addressOf(address), port });
  }

  /** Whether connecting to this address, in whichever spelling, would reach one of them. */
  has(address: string, port: number): boolean {
    if (!this.endpoints.some((own) => own.port === port)) return false;
    const to = addressOf(address);
    return this.endpoints.some(
      ({ at, port: own }) =>
        own === port && (isSame(at, to) || isEverywhere(to) || (isEverywhere(at) && to !== null && isOneOfOurs(to))),
    );
  }
}

/** Whether an address leads to this machine. An address has many spellings, so that numbers are compared. */
export function isOfThisMachine(address: string): boolean {
  const to = addressOf(address);
  return to !== null && isOneOfOurs(to);
}

function isOneOfOurs(address: IpAddress): boolean {
  const { bits, value } = address;
  if (bits === 32 ? value >> 24n === 127n : value === 1n) return true;
  return Object.values(networkInterfaces()).some((entries) =>
    entries?.some((entry) => isSame(addressOf(entry.address), address)),
  );
}

/** The zone says which link, and is no part of the number. */
function addressOf(text: string): IpAddress | null {
  return readIpAddress(text.replace(/%.*$/s, ''));
}

/** Whether an address stands for every address of this machine. */
function isEverywhere(address: IpAddress | null): boolean {
  return address?.value === 0n;
}

function isSame(a: IpAddress | null, b: IpAddress | null): boolean {
  return a !== null && b !== null && a.bits === b.bits && a.value === b.value;
}
