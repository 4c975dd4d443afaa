import { choice, flag } from '../../contract/vocabulary/configured.ts';
import type { BackendOptions } from '../engine/backend/backend-options.ts';
import { priorKnowledge } from '../engine/http2/prior-knowledge.ts';
import type { Connect, Protocol } from '../engine/wire/connect.ts';
import type { Remark } from '../heap/definition.ts';
import type { ClientTls } from '../heap/objects/tls.ts';

/** Fields of a handler about the version of HTTP and the connections that it is spoken on. */
export const httpVersionFields = {
  protocolVersion: choice(['HTTP/2', 'HTTP/1.1'])
    .optional()
    .describe(
      'HTTP version of outgoing requests. With `HTTP/2` the gateway offers HTTP/2 first over TLS; without TLS ' +
        '`http2PriorKnowledge` decides how. It falls back to HTTP/1.1 for backends without HTTP/2. By default HTTP/2 ' +
        'is offered over TLS if `alpn` of the `tls` options allows it, and never without TLS.',
    ),
  http2PriorKnowledge: flag()
    .default(false)
    .describe(
      'For backends without TLS and `protocolVersion` `HTTP/2`: true starts HTTP/2 with the first byte; false ' +
        'upgrades with a request that has no body.',
    ),
  stateTrackingEnabled: flag()
    .default(true)
    .describe(
      'Whether every request uses its own connection if the gateway sends a client certificate, because such a ' +
        'connection is authenticated.',
    ),
};

interface HttpVersion {
  readonly protocolVersion?: 'HTTP/2' | 'HTTP/1.1' | undefined;
  readonly http2PriorKnowledge: boolean;
}

/** Remarks on fields that have no effect. */
export function httpVersionRemarks({ protocolVersion, http2PriorKnowledge }: HttpVersion): readonly Remark[] {
  if (!http2PriorKnowledge || protocolVersion === 'HTTP/2') return [];
  const message = "has no effect: 'protocolVersion' is not 'HTTP/2'";
  return [{ at: ['http2PriorKnowledge'], code: 'no-effect', message }];
}

/** How backends without TLS come to HTTP/2. */
export function withoutTls(
  { protocolVersion, http2PriorKnowledge }: HttpVersion,
  connect: Connect,
): Pick<BackendOptions, 'connect' | 'http2' | 'scheme'> {
  const scheme = 'http';
  if (protocolVersion !== 'HTTP/2') return { connect, http2: 'never', scheme };
  return http2PriorKnowledge
    ? { connect: priorKnowledge(connect), http2: 'negotiated', scheme }
    : { connect, http2: 'upgrade', scheme };
}

/** Protocols that are offered to backends over TLS, the preferred one first; empty if ALPN is off. */
export function offeredProtocols({ protocolVersion }: HttpVersion, tls: ClientTls): readonly Protocol[] {
  if (!tls.alpn) return [];
  return protocolVersion === 'HTTP/1.1' ? ['http/1.1'] : ['h2', 'http/1.1'];
}

/** How backends with TLS come to HTTP/2, and whether connections to them may be used again. */
export function withTls(
  config: HttpVersion & { readonly stateTrackingEnabled: boolean; readonly disableReuseConnection: boolean },
  tls: ClientTls,
): Pick<BackendOptions, 'http2' | 'scheme'> & Partial<Pick<BackendOptions, 'reuse'>> {
  const speaksForSomebody = config.stateTrackingEnabled && tls.usesClientCertificate;
  return {
    http2: offeredProtocols(config, tls).includes('h2') ? 'negotiated' : 'never',
    scheme: 'https',
    ...((config.disableReuseConnection || speaksForSomebody) && { reuse: false }),
  };
}
