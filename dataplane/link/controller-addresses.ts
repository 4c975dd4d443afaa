import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { errorText } from '../../platform/error-text.ts';
import type { Endpoint } from '../engine/wire/wire.ts';

/** A controller, or several behind one name. */
export interface ControllerAddress {
  readonly host: string;
  readonly port: number;
}

/** One place to connect to, with the name that it was found by. */
export interface ControllerEndpoint extends Endpoint {
  readonly host: string;
}

export interface ControllerAddressesOptions {
  /** Finds the addresses of a name; by default as the system does. */
  lookup?(host: string): Promise<readonly string[]>;
  /** Hears every address that was ever found, whenever there is another one. */
  found?(endpoints: readonly Endpoint[]): void;
  /** From 0 to 1; by default random. */
  random?(): number;
}

/** Where controllers are. Planes begin anywhere among them, so that not all ask the same one, and go on to the next. */
export class ControllerAddresses {
  private readonly controllers: readonly ControllerAddress[];
  private readonly options: ControllerAddressesOptions;
  private readonly known = new Map<string, Endpoint>();
  /** Those to try before names are looked up again. */
  private round: ControllerEndpoint[] = [];

  constructor(controllers: readonly ControllerAddress[], options: ControllerAddressesOptions = {}) {
    this.controllers = controllers;
    this.options = options;
  }

  /** The next one to try. @throws Error when no name has an address */
  async next(): Promise<ControllerEndpoint> {
    if (this.round.length === 0) this.round = await this.resolved();
    return this.round.shift()!;
  }

  /** Whether every address that was found has been tried. */
  get isRoundOver(): boolean {
    return this.round.length === 0;
  }

  /** What was found is tried no further: names are looked up again. */
  again(): void {
    this.round = [];
  }

  private async resolved(): Promise<ControllerEndpoint[]> {
    const outcomes = await Promise.allSettled(this.controllers.map((one) => this.endpointsOf(one)));
    const endpoints = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    if (endpoints.length === 0) {
      const names = this.controllers.map(({ host }) => host).join(', ');
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      throw new Error(`cannot resolve ${names}: ${failed === undefined ? 'no address' : errorText(failed.reason)}`);
    }
    const before = this.known.size;
    for (const { address, port } of endpoints) this.known.set(`${address} ${port}`, { address, port });
    if (this.known.size > before) this.options.found?.([...this.known.values()]);
    return this.shuffled(endpoints);
  }

  private async endpointsOf({ host, port }: ControllerAddress): Promise<ControllerEndpoint[]> {
    const find = this.options.lookup ?? systemLookup;
    const addresses = isIP(host) === 0 ? await find(host) : [host];
    return addresses.map((address) => ({ host, address, port }));
  }

  private shuffled<T>(list: readonly T[]): T[] {
    const random = this.options.random ?? Math.random;
    const rest = [...list];
    const mixed: T[] = [];
    while (rest.length > 0) mixed.push(...rest.splice(Math.floor(random() * rest.length), 1));
    return mixed;
  }
}

async function systemLookup(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
