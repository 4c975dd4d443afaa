import type { Logger } from 'pino';
import { BackOff } from '../../platform/back-off.ts';
import { errorText } from '../../platform/error-text.ts';
import { callHandler } from '../engine/backend/own-call.ts';
import type { Next } from '../engine/message/exchange.ts';
import { type IssuerMetadata, isPlaceOf, readMetadata, UnusableMetadata, wellKnownPlaces } from './issuer-metadata.ts';

/** Longest metadata in bytes: real ones have less than 10 KiB. */
const MOST_BYTES = 1 << 18;
const TIMEOUT_MILLISECONDS = 10_000;
/** After this time metadata is fetched again, while the metadata at hand is used. */
const REFRESH_MILLISECONDS = 3_600_000;
/** Metadata that is doubted is fetched again this often at most, whoever doubts it. */
const LEAST_INTERVAL = 10_000;

export interface DiscoveryOptions {
  /** URL of the issuer; null where the location of the metadata decides whose it may be. */
  readonly issuer: string | null;
  /** Location of the metadata; null to look at the well-known ones of the issuer. */
  readonly wellKnown: string | null;
  /** Sends the requests. */
  readonly handler: Next;
  readonly log: Logger;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Metadata of one issuer, fetched when it is first needed. All callers wait for the same fetch. After a failure the next
 * fetch waits, longer each time, and metadata that was fetched before stays in use.
 */
export class DiscoveredIssuer {
  private readonly options: DiscoveryOptions;
  private readonly now: () => number;
  private readonly backOff = new BackOff({ first: 1000, longest: 60_000, jitter: 0 });
  private found: { readonly metadata: IssuerMetadata; readonly place: string; readonly since: number } | null = null;
  private running: Promise<IssuerMetadata> | null = null;
  private failure: unknown = null;
  private retryAt = 0;
  private isDoubted = false;

  constructor(options: DiscoveryOptions) {
    this.options = options;
    this.now = options.now ?? (() => performance.now());
  }

  /** Returns the metadata. Rejects when there is none yet; the message is safe for a log. */
  metadata(): Promise<IssuerMetadata> {
    const { found } = this;
    const now = this.now();
    if (found === null) return this.fetched(now);
    const age = now - found.since;
    const isDue = age >= (this.isDoubted ? LEAST_INTERVAL : REFRESH_MILLISECONDS);
    if (!isDue || now < this.retryAt) return Promise.resolve(found.metadata);
    const fetching = this.fetched(now).catch(() => found.metadata); // the failure is in the log
    return this.isDoubted ? fetching : Promise.resolve(found.metadata);
  }

  /** Has the metadata fetched again soon, such as when an endpoint in it does not answer any more. */
  invalidate(): void {
    this.isDoubted = true;
  }

  private fetched(now: number): Promise<IssuerMetadata> {
    if (this.running !== null) return this.running;
    if (now < this.retryAt) return Promise.reject(this.failure);
    this.running = this.fetchNow(now).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async fetchNow(since: number): Promise<IssuerMetadata> {
    try {
      const { metadata, place } = await this.search();
      this.found = { metadata, place, since };
      this.isDoubted = false;
      this.backOff.reset();
      this.retryAt = 0;
      return metadata;
    } catch (error) {
      const wait = this.backOff.next();
      this.failure = error;
      this.retryAt = this.now() + wait;
      const rest = this.found === null ? 'no cached metadata to use' : 'using the cached metadata';
      this.options.log.warn({ err: error, retryIn: wait }, `could not fetch the metadata of an issuer; ${rest}`);
      throw error;
    }
  }

  /** Looks at one place after the other. A place without metadata is passed over, wrong metadata ends the search. */
  private async search(): Promise<{ metadata: IssuerMetadata; place: string }> {
    const { issuer, wellKnown } = this.options;
    const places = wellKnown === null ? wellKnownPlaces(issuer!) : [wellKnown];
    const first = this.found?.place;
    const ordered = first === undefined ? places : [first, ...places.filter((place) => place !== first)];
    const misses: string[] = [];
    for (const place of ordered) {
      const result = await this.lookAt(place);
      if (typeof result !== 'string') return { metadata: result, place };
      misses.push(`${shownPlace(place)}: ${result}`);
    }
    throw new Error(`the issuer publishes no metadata (${misses.join('; ')})`);
  }

  /** @returns why there is none, where another place may have it. */
  private async lookAt(place: string): Promise<IssuerMetadata | string> {
    const { handler, issuer } = this.options;
    const request = { method: 'GET', uri: place, headers: { Accept: 'application/json' } };
    try {
      const limits = { parent: null, limit: MOST_BYTES, timeout: TIMEOUT_MILLISECONDS };
      const { status, content } = await callHandler(handler, request, limits);
      if (status !== 200) return `status ${status}`;
      const isExpected = (named: string): boolean => (issuer === null ? isPlaceOf(named, place) : named === issuer);
      return readMetadata(content, place, isExpected) ?? 'not a JSON object';
    } catch (error) {
      const reason = error instanceof UnusableMetadata ? error.message : `no answer: ${errorText(error)}`;
      throw new Error(`${reason} (${shownPlace(place)})`);
    }
  }
}

/** Without the query, which may contain a key. */
function shownPlace(place: string): string {
  const { origin, pathname } = new URL(place);
  return `${origin}${pathname}`;
}
