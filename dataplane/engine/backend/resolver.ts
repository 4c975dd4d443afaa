import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { clock } from '../wire/clock.ts';

/** Asks for the addresses of a name. Rejects when it has none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Asks the system, which also knows what is in its files. */
export const systemLookup: Lookup = async (host) => {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map((entry) => entry.address);
};

/** How long an answer is used before the name is asked for again. */
const FRESH = 5000;

/** Addresses of a host, asked anew every few seconds: backends move. */
export class Resolver {
  private readonly host: string;
  private readonly lookup: Lookup;
  private addresses: readonly string[] | null;
  private asking: Promise<readonly string[]> | null = null;
  private until = 0;
  private readonly fixed: boolean;

  constructor(host: string, lookup: Lookup = systemLookup) {
    this.host = host;
    this.lookup = lookup;
    this.fixed = isIP(host) !== 0;
    this.addresses = this.fixed ? [host] : null;
  }

  /** The addresses known now, or null when they must be asked for. */
  get known(): readonly string[] | null {
    return this.fixed || clock.now < this.until ? this.addresses : null;
  }

  /** @throws when the name does not resolve and never did. A name that stops resolving keeps its last addresses. */
  resolve(): Promise<readonly string[]> {
    if (this.known !== null) return Promise.resolve(this.known);
    this.asking ??= this.ask().finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async ask(): Promise<readonly string[]> {
    try {
      this.addresses = await this.lookup(this.host);
    } catch (error) {
      if (this.addresses === null) throw error;
    }
    this.until = clock.now + FRESH;
    return this.addresses!;
  }

  /** A connection failed: ask again before the next one. */
  distrust(): void {
    this.until = 0;
  }
}
