import type { Logger } from 'pino';
import { errorText } from '../../../platform/error-text.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import type { ResponseStep } from '../../engine/message/reply.ts';
import { clock, timeNow } from '../../engine/wire/clock.ts';
import { NEVER } from '../../engine/wire/sweep.ts';
import type { BackendEndpoint, Backends, EndpointUser } from '../../heap/objects/backends.ts';
import { ActiveHealth, type ActiveHealthRules, type Probe } from './active-health.ts';
import type { AffinityCookie } from './affinity-cookie.ts';
import { BalancedEndpoint, type EndpointSpec } from './balanced-endpoint.ts';
import type { EndpointMeter } from './endpoint-meter.ts';
import type { EndpointPicker } from './endpoint-picker.ts';
import type { EndpointSource } from './endpoint-source.ts';
import { tenths } from './health-record.ts';
import type { HealthTable } from './health-table.ts';
import { PassiveHealth, type PassiveHealthRules } from './passive-health.ts';

/** Endpoints that one request is offered to before it fails. */
const MOST_TRIED = 5;
/** Least time between two questions to the source, in milliseconds. */
const PAUSE = 1000;
/** Time after which an answer is too old to be used while the next one is on its way: addresses are given to others. */
const STALE = 60_000;

export interface BalancedEndpointsOptions {
  readonly source: EndpointSource;
  readonly isOfTenant: boolean;
  readonly picker: EndpointPicker;
  readonly cookie: AffinityCookie | null;
  /** Milliseconds in which a new endpoint gets its whole share. */
  readonly slowStart: number;
  readonly health: HealthTable;
  /** Rules by which endpoints are ejected; null for none. */
  readonly passive: PassiveHealthRules | null;
  /** Probes of endpoints; null for none. */
  readonly active: { readonly rules: ActiveHealthRules; readonly probe: Probe } | null;
  /** Share of endpoints, in percent, below which all of them get requests. */
  readonly panicThreshold: number;
  readonly meter: EndpointMeter;
  readonly log: Logger;
}

/** Endpoints of one source in one unit, and the choice between them. */
export class BalancedEndpoints implements Backends {
  readonly affinity: ResponseStep | null;
  readonly isOfTenant: boolean;
  private readonly options: BalancedEndpointsOptions;
  private readonly byKey = new Map<string, BalancedEndpoint>();
  /** Endpoints that requests are spread over. */
  private serving: readonly BalancedEndpoint[] = [];
  private readonly freeSlots: number[] = [];
  /** What ends the metrics of each endpoint. */
  private readonly shown = new Map<BalancedEndpoint, () => void>();
  private readonly users = new Set<EndpointUser>();
  private readonly tried = new WeakMap<Exchange, Set<BackendEndpoint>>();
  private readonly judge: PassiveHealth | null;
  private readonly prober: ActiveHealth | null;
  private readonly unshow: (() => void)[];
  /** Version of the health table that `serving` is of, and when an ejection ends. */
  private seen = 0;
  private returnAt = NEVER;
  private isPanicking = false;
  private isClosed = false;
  private asking: Promise<string | null> | null = null;
  private askedAt = 0;
  /** When the source is asked again, and until when its last answer is used meanwhile. */
  private due = 0;
  private staleAt = 0;
  /** Why the last question got no answer. */
  private failure: string | null = null;

  constructor(options: BalancedEndpointsOptions) {
    const { cookie, source, health, passive, active, meter, log } = options;
    this.options = options;
    this.isOfTenant = options.isOfTenant;
    this.judge = passive === null ? null : new PassiveHealth(passive, health, meter, log, () => this.byKey.values());
    this.prober =
      active === null ? null : new ActiveHealth(active.rules, active.probe, health, meter, log, () => this.probed());
    this.prober?.start();
    this.unshow = [
      meter.showsAll(() => this.byKey.size),
      meter.shows('serving', () => this.served),
      meter.shows('ejected', () => this.ejected),
      meter.shows('down', () => [...this.byKey.values()].filter((one) => this.isDown(one)).length),
    ];
    if (source.follow !== undefined) this.unshow.push(source.follow(() => void this.ask()));
    this.affinity = cookie === null ? null : (response, exchange) => this.bind(response, exchange, cookie);
    const answer = source.ask();
    if (answer instanceof Promise) void this.await(answer);
    else this.answered(answer);
  }

  choose(exchange: Exchange, isRetry = false): BackendEndpoint | null {
    if (clock.now >= this.due && !this.refresh()) return null;
    const { health, cookie, picker } = this.options;
    if (health.version !== this.seen || clock.now >= this.returnAt) this.serve();
    if (this.serving.length === 0) return null;
    if (isRetry) return this.chooseAgain(exchange, exchange.backend);
    if (exchange.backend !== null) this.tried.delete(exchange); // a filter sends it once more, for its own reasons
    return (cookie === null ? null : this.bound(exchange, cookie)) ?? picker.pick(exchange);
  }

  another(exchange: Exchange, failed: BackendEndpoint): BackendEndpoint | null {
    this.due = Math.min(this.due, this.askedAt + PAUSE); // it may have moved
    const tried = this.triedBy(exchange);
    tried.add(failed);
    if (tried.size >= MOST_TRIED || this.serving.length === 0) return null;
    return this.options.picker.pickExcept(exchange, tried) ?? this.lastResort(tried);
  }

  /** No endpoint that should serve takes the request: one that should not may have recovered. */
  private lastResort(tried: ReadonlySet<BackendEndpoint>): BackendEndpoint | null {
    for (const endpoint of this.byKey.values()) {
      if (endpoint.isOut && endpoint.weight > 0 && !tried.has(endpoint)) return endpoint;
    }
    return null;
  }

  hasAnother(exchange: Exchange): boolean {
    const tried = this.tried.get(exchange)?.size ?? 0;
    return tried + 1 < Math.min(MOST_TRIED, this.byKey.size);
  }

  async known(): Promise<string | null> {
    if (this.asking !== null) return this.asking;
    if (this.serving.length > 0 && timeNow() < this.staleAt) return null;
    return timeNow() < this.due ? this.failure : this.ask();
  }

  join(user: EndpointUser): () => void {
    this.users.add(user);
    return () => this.users.delete(user);
  }

  /** Takes another list of endpoints. Those that stay keep their connections and their load. */
  update(specs: readonly EndpointSpec[]): void {
    const { byKey } = this;
    const isFirst = byKey.size === 0;
    const wanted = new Map(specs.map((spec) => [spec.key, spec]));
    let isChanged = false;
    for (const endpoint of [...byKey.values()]) {
      const spec = wanted.get(endpoint.key);
      if (spec !== undefined && endpoint.isLike(spec)) {
        isChanged ||= endpoint.isFar !== (spec.isFar === true);
        endpoint.isFar = spec.isFar === true;
        continue;
      }
      isChanged = true;
      byKey.delete(endpoint.key);
      this.freeSlots.push(endpoint.slot);
      endpoint.health.release();
      this.shown.get(endpoint)?.();
      this.shown.delete(endpoint);
      for (const user of this.users) user.left(endpoint);
    }
    for (const spec of wanted.values()) {
      if (byKey.has(spec.key)) continue;
      isChanged = true;
      const slot = this.freeSlots.pop() ?? byKey.size;
      const joined = isFirst ? Number.NEGATIVE_INFINITY : timeNow(); // with the others, nobody is new
      const { slowStart, health, meter } = this.options;
      const parts = { slowStart, health: health.take(spec.key), counts: meter.counts(spec.key), judge: this.judge };
      if (this.isClosed) parts.health.release(); // for requests that are under way; nobody would do it later
      const endpoint = new BalancedEndpoint(spec, slot, joined, parts);
      byKey.set(spec.key, endpoint);
      if (!this.isClosed) this.shown.set(endpoint, this.show(endpoint));
    }
    if (!isChanged) return;
    this.options.cookie?.use([...byKey.values()]);
    this.serve();
  }

  close(): void {
    this.isClosed = true;
    this.prober?.close();
    for (const end of [...this.unshow, ...this.shown.values()]) end();
    for (const { health } of this.byKey.values()) health.release();
  }

  /** Without requests nobody else notices that an ejection has ended. */
  private get served(): number {
    if (this.options.health.version !== this.seen || timeNow() >= this.returnAt) this.serve();
    return this.serving.length;
  }

  private get ejected(): number {
    const now = tenths();
    return [...this.byKey.values()].filter((one) => this.ejectedFor(one, now) > 0).length;
  }

  private show(endpoint: BalancedEndpoint): () => void {
    const state = (): number => (this.isDown(endpoint) ? 2 : this.ejectedFor(endpoint, tenths()) > 0 ? 1 : 0);
    return this.options.meter.showsEndpoint(endpoint.key, state, () => endpoint.load);
  }

  /** Records outlive updates: what probes said counts only while there are probes, which can take it back. */
  private isDown({ health }: BalancedEndpoint): boolean {
    return this.prober !== null && health.isDown;
  }

  private ejectedFor({ health }: BalancedEndpoint, now: number): number {
    return this.judge === null ? 0 : health.ejectedFor(now);
  }

  /** Decides anew which endpoints get requests. */
  private serve(): void {
    const { health, panicThreshold, picker } = this.options;
    this.judge?.endEjections();
    this.seen = health.version;
    this.returnAt = NEVER;
    for (const endpoint of this.byKey.values()) this.judgeAgain(endpoint);
    const known = [...this.byKey.values()].filter(({ weight }) => weight > 0);
    const near = known.filter(({ isFar }) => !isFar);
    // those that are far join when too few of the others can serve
    const all = near.length === 0 || isTooFew(near, panicThreshold) ? known : near;
    const sound = all.filter(({ isOut }) => !isOut);
    this.isPanicking = isTooFew(all, panicThreshold);
    const serving = this.isPanicking ? all : sound;
    serving.sort((one, two) => (one.key < two.key ? -1 : 1)); // the same order everywhere
    this.serving = serving;
    if (serving.length > 0) picker.use(serving);
  }

  private judgeAgain(endpoint: BalancedEndpoint): void {
    const left = this.ejectedFor(endpoint, tenths());
    if (left > 0) this.returnAt = Math.min(this.returnAt, timeNow() + left);
    const isOut = left > 0 || this.isDown(endpoint);
    if (endpoint.isOut && !isOut) endpoint.rejoin(timeNow());
    endpoint.isOut = isOut;
  }

  // ---- requests that were sent before

  /** An attempt failed, and this is the next one: another endpoint may answer it. */
  private chooseAgain(exchange: Exchange, last: string | null): BackendEndpoint {
    const { picker } = this.options;
    const tried = this.triedBy(exchange);
    const before = this.named(last);
    if (before !== null) tried.add(before);
    const untried = picker.pickExcept(exchange, tried);
    if (untried !== null) return untried;
    tried.clear();
    if (before !== null) tried.add(before);
    return picker.pickExcept(exchange, tried) ?? picker.pick(exchange);
  }

  private triedBy(exchange: Exchange): Set<BackendEndpoint> {
    const tried = this.tried.get(exchange) ?? new Set();
    this.tried.set(exchange, tried);
    return tried;
  }

  private named(backend: string | null): BalancedEndpoint | null {
    for (const endpoint of this.byKey.values()) {
      if (endpoint.pools.some(({ name }) => name === backend)) return endpoint;
    }
    return null;
  }

  // ---- affinity

  private bound(exchange: Exchange, cookie: AffinityCookie): BackendEndpoint | null {
    const endpoint = cookie.bound(exchange) as BalancedEndpoint | null;
    return endpoint === null || (endpoint.isOut && !this.isPanicking) ? null : endpoint;
  }

  private bind(response: Parameters<ResponseStep>[0], exchange: Exchange, cookie: AffinityCookie): typeof response {
    if (response.refusal !== null) return response;
    const endpoint = this.named(exchange.backend);
    const line = endpoint === null ? null : cookie.line(exchange, endpoint);
    if (line !== null) response.headers.append('Set-Cookie', line);
    return response;
  }

  // ---- the source

  /** Endpoints for probes: without requests nobody else asks whether they are still the ones. */
  private probed(): Iterable<BalancedEndpoint> {
    if (this.asking === null && timeNow() >= this.due) void this.ask();
    return this.byKey.values();
  }

  /** Asks the source, without waiting for it. @returns whether its last answer may be used meanwhile */
  private refresh(): boolean {
    if (this.asking === null) void this.ask();
    return clock.now < this.staleAt;
  }

  private ask(): Promise<string | null> {
    return this.await(Promise.resolve(this.options.source.ask()));
  }

  /** @returns why there are no endpoints, or null */
  private await(answer: Promise<readonly EndpointSpec[]>): Promise<string | null> {
    this.askedAt = timeNow();
    this.asking = answer.then(
      (specs) => this.answered(specs),
      (error: unknown) => this.failed(errorText(error)),
    );
    return this.asking;
  }

  private answered(specs: readonly EndpointSpec[]): string | null {
    const { interval, none } = this.options.source;
    if (specs.length === 0) {
      if (none !== undefined) this.update(specs); // it is the truth: the last ones are not used any more
      return this.failed(none ?? 'there are no endpoints');
    }
    this.asking = null;
    this.due = interval === NEVER ? NEVER : timeNow() + interval;
    this.staleAt = interval === NEVER ? NEVER : this.due + STALE;
    if (this.failure !== null) this.options.log.info({ endpoints: specs.length }, 'endpoints found again');
    this.failure = null;
    this.update(specs);
    return null;
  }

  /** The last answer is used until there is another one. */
  private failed(reason: string): string | null {
    const { log, source } = this.options;
    this.asking = null;
    this.due = timeNow() + Math.min(source.interval, PAUSE);
    this.staleAt = NEVER;
    const message =
      this.byKey.size === 0
        ? 'endpoints not found; requests get 502 until there are some'
        : 'endpoints not found; the last known ones are used';
    if (this.failure === null) log.warn({ reason }, message);
    this.failure = reason;
    return this.byKey.size === 0 ? reason : null;
  }
}

/** Whether less of them can serve than this share, in percent. */
function isTooFew(endpoints: readonly BalancedEndpoint[], share: number): boolean {
  return endpoints.filter(({ isOut }) => !isOut).length * 100 < endpoints.length * share;
}
