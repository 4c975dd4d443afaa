import type { BackendOptions } from '../engine/backend/backend-options.ts';
import type { Refusal } from '../engine/message/refusal.ts';
import type { Connect } from '../engine/wire/connect.ts';
import type { Parts } from '../heap/definition.ts';
import type { ProxyOptions } from '../heap/objects/proxy-options.ts';
import { outcomeOf } from './backend-failure.ts';
import { Buffering } from './buffering.ts';
import { customProxy } from './custom-proxy.ts';
import { FailureLog } from './failure-log.ts';
import { withoutTls } from './http-version.ts';
import { readByProxy, tunnelledBy } from './proxied.ts';
import { sendsAgain } from './retry-fields.ts';
import type { SenderConfig } from './sender-fields.ts';
import { configuredSystemProxy } from './system-proxy.ts';

/** Settings per backend of a handler: listener for failures, handling of responses, and proxy. */
export class BackendWays {
  /** Makes messages whole, or null where they pass as they come. */
  readonly buffering: Buffering | null;
  private readonly failures: FailureLog;
  private readonly proxies: ProxyOptions;
  private readonly config: SenderConfig;
  private readonly connect: Connect;
  private readonly propagates: (refusal: Refusal) => boolean;
  private readonly isRetried: (refusal: Refusal, begun: boolean) => boolean;
  private readonly wantsHttp2: boolean;
  private readonly log: Parts['log'];

  /** `propagates` tells refusals that whoever called hears of, and that are therefore not logged here. */
  constructor(config: SenderConfig, parts: Parts, propagates: (refusal: Refusal) => boolean) {
    const { asyncBehavior, temporaryStorage } = config;
    this.config = config;
    const streams = asyncBehavior === undefined ? parts.plane.streaming : asyncBehavior === 'streaming';
    this.buffering = streams ? null : new Buffering(parts.resolve(temporaryStorage));
    this.failures = new FailureLog(parts.log);
    parts.onClose(() => this.failures.close());
    this.proxies = proxiesOf(config, parts);
    this.connect = parts.plane.connect;
    this.propagates = propagates;
    this.isRetried = retried(config, this.buffering !== null);
    this.wantsHttp2 = config.protocolVersion === 'HTTP/2';
    this.log = parts.log;
  }

  /** A request cannot be sent to its backend, or got no answer from it or, where that has `begun`, not all of one. */
  failed(refusal: Refusal, backend: string, reason: string, begun = false): void {
    if (!this.propagates(refusal) && !this.isRetried(refusal, begun)) this.failures.add(refusal, backend, reason);
  }

  /** An endpoint did not take a request, and another one gets it. */
  readonly moved = (backend: string, refusal: Refusal, reason: string): void =>
    this.failures.add(refusal, backend, reason, 'endpoint failed; request sent to another endpoint');

  /** For requests without TLS: those of HTTP/1.1 a proxy reads. */
  readonly plain = (host: string, port: number): Partial<BackendOptions> => {
    const { config, connect } = this;
    if (config.protocolVersion === 'HTTP/2') {
      const over = (under: Connect): Connect => withoutTls(config, under).connect;
      const { http2PriorKnowledge } = config;
      // its settings need not wait for ours
      return this.straight(
        'http',
        host,
        port,
        over,
        http2PriorKnowledge ? (under) => under : null,
        http2PriorKnowledge,
      );
    }
    const own = this.own(host, port);
    const proxy = this.proxies.proxyFor('http', host);
    return proxy === null
      ? own
      : { ...own, ...readByProxy(proxy, { scheme: 'http', host, port }, { ...own, connect }) };
  };

  /**
   * For what a proxy cannot read, which passes it in a tunnel. `over` says what is spoken on the connections that lead to
   * the backend, by default HTTP/1.1 without TLS; `http1` the same for a backend that could speak HTTP/2 and does not
   * want to; `speaksFirst` that the backend may begin there.
   */
  straight(
    scheme: 'http' | 'https',
    host: string,
    port: number,
    over: (under: Connect) => Connect = (under) => under,
    http1: ((under: Connect) => Connect) | null = null,
    speaksFirst = false,
  ): Partial<BackendOptions> {
    const proxy = this.proxies.proxyFor(scheme, host);
    const own = this.own(host, port);
    const both = (under: Connect) => ({ connect: over(under), connectHttp1: http1?.(under) ?? null });
    if (proxy === null) return { ...own, ...both(this.connect) };
    const tunnelled = tunnelledBy(proxy, { scheme, host, port }, this.connect, speaksFirst);
    return { ...own, ...tunnelled, ...both(tunnelled.connect) };
  }

  private own(host: string, port: number): Pick<BackendOptions, 'failed' | 'received' | 'spoken'> {
    const name = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const failed = (refusal: Refusal, reason: string, begun = false): void => this.failed(refusal, name, reason, begun);
    return { failed, received: this.buffering?.receives(failed) ?? null, spoken: this.spoken(name) };
  }

  /** Tells once of a backend that should speak HTTP/2 and does not. */
  private spoken(backend: string): BackendOptions['spoken'] {
    if (!this.wantsHttp2) return null;
    let told = false;
    return (protocol) => {
      if (protocol === 'h2' || told) return;
      told = true;
      this.log.info({ backend }, 'backend does not support HTTP/2; using HTTP/1.1');
    };
  }
}

/** Tells failures that whoever sends requests again hears of, and tells of where they are the answer. */
function retried({ retries }: SenderConfig, whole: boolean): (refusal: Refusal, begun: boolean) => boolean {
  if (!sendsAgain(retries)) return () => false;
  const seesContent = whole || retries.condition.compiled?.touches('response.entity') === true;
  return (refusal, begun) => outcomeOf({ refusal }) === 'failed' && (!begun || seesContent);
}

/** The proxies of a handler: what is deprecated wins, because whoever writes it means it. */
function proxiesOf({ proxy, systemProxy: ofSystem, proxyOptions }: SenderConfig, parts: Parts): ProxyOptions {
  if (proxy !== undefined) {
    const { uri, username, password, passwordSecretId, secretsProvider } = proxy;
    const provider = secretsProvider === undefined ? null : parts.resolve(secretsProvider);
    const known = password === undefined ? null : Promise.resolve(password);
    const custom = customProxy(uri, username, () => known ?? provider!.active(passwordSecretId!));
    return { proxyFor: () => custom };
  }
  return ofSystem === true ? configuredSystemProxy(parts.plane.reach, parts.log) : parts.resolve(proxyOptions);
}
