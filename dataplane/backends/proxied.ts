import type { BackendOptions } from '../engine/backend/backend-options.ts';
import { refusalResponse } from '../engine/message/response.ts';
import type { Connect } from '../engine/wire/connect.ts';
import type { HttpProxy } from '../heap/objects/proxy-options.ts';
import { credentialsReason, proxyFailure, proxyName, proxyRefusal } from './proxy-failure.ts';
import { connectThrough } from './proxy-tunnel.ts';

/** A backend behind a proxy. */
export interface Behind {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** How to reach a backend by requests that the proxy itself reads: with the whole URI, and credentials in each of them. */
export function readByProxy(
  proxy: HttpProxy,
  behind: Behind,
  { connect, received, failed }: Pick<BackendOptions, 'connect' | 'received' | 'failed'>,
): Pick<BackendOptions, 'destination' | 'connect' | 'via' | 'received'> {
  const authority = authorityOf(behind);
  const via = { proxy: proxyName(proxy), authority, prefix: `http://${authority}`, lines: '' };
  return {
    destination: { host: proxy.host, port: proxy.port },
    via,
    connect(to, owner, done) {
      const credentials = proxy.authorization();
      credentials.catch(() => {}); // it is looked at when there is somebody to tell
      return connect(to, owner, (result) => {
        if (typeof result !== 'string') {
          done(result);
          return;
        }
        credentials.then(
          (authorization) => {
            via.lines = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
            done(result);
          },
          (error: unknown) => done(proxyFailure(proxy, credentialsReason(error))),
        );
      });
    },
    received(response, exchange) {
      if (response.status !== 407) return received === null ? response : received(response, exchange);
      response.abandon();
      const { refusal, reason } = proxyRefusal(proxy, 407);
      failed(refusal, reason, false);
      return refusalResponse(refusal, reason);
    },
  };
}

/**
 * How to reach a backend through a tunnel, on connections to the proxy that `under` makes. `speaksFirst`: the backend may
 * say something before it is spoken to.
 */
export function tunnelledBy(
  proxy: HttpProxy,
  behind: Behind,
  under: Connect,
  speaksFirst: boolean,
): Pick<BackendOptions, 'destination' | 'connect' | 'via'> {
  const { host, port } = behind;
  return {
    destination: { host: proxy.host, port: proxy.port },
    via: { proxy: proxyName(proxy), authority: authorityOf(behind), prefix: null, lines: '' },
    connect: connectThrough(proxy, `${bracketed(host)}:${port}`, under, speaksFirst),
  };
}

function authorityOf({ scheme, host, port }: Behind): string {
  return port === (scheme === 'https' ? 443 : 80) ? bracketed(host) : `${bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
