import { z } from 'zod';
import type { Duration } from '../../../contract/duration.ts';
import type { Reference } from '../../../contract/vocabulary/reference.ts';
import { errorText } from '../../../platform/error-text.ts';
import { BackendDial } from '../../engine/backend/backend-dial.ts';
import { callHandler, type OwnAnswer, type OwnRequest } from '../../engine/backend/own-call.ts';
import { type Lookup, Resolver, systemLookup } from '../../engine/backend/resolver.ts';
import type { Next } from '../../engine/message/exchange.ts';
import { mapResponse } from '../../engine/message/reply.ts';
import { Uri } from '../../engine/message/uri.ts';
import type { Parts } from '../../heap/definition.ts';
import type { ProxyOptions } from '../../heap/objects/proxy-options.ts';
import { backendSets } from '../backend-sets.ts';
import { BackendWays } from '../backend-ways.ts';
import { senderFields } from '../sender-fields.ts';
import { backendWebSockets } from '../websocket-fields.ts';
import type { Probe } from './active-health.ts';

/** Ways to ask endpoints. */
export interface ProbeConfig {
  readonly protocol: 'http' | 'grpc' | 'tcp';
  readonly path: string;
  readonly host?: string | undefined;
  readonly expectedStatuses: readonly number[];
  readonly service: string;
  readonly timeout: Duration;
  readonly tls?: Reference<'tlsOptions'> | undefined;
}

/** Proxies are of handlers; an endpoint that is only reached through one cannot be probed. */
const NO_PROXY: ProxyOptions = { proxyFor: () => null };

/** Makes probes of an object: with connections of their own, under its egress rules. */
export function endpointProbes(config: ProbeConfig, parts: Parts, lookup: Lookup = systemLookup): Probe {
  return config.protocol === 'tcp' ? tcpProbe(config, parts, lookup) : requestProbe(config, parts);
}

/** A connection is enough, to any of its addresses: requests try all of them too. */
function tcpProbe({ timeout }: ProbeConfig, { plane }: Parts, lookup: Lookup): Probe {
  return async ({ base: { host, port } }) => {
    const until = performance.now() + timeout.milliseconds;
    const addresses = await new Resolver(host, lookup).resolve();
    const opened = (wire: { destroy(): void }): void => wire.destroy();
    let reason = addresses.length === 0 ? 'the host name has no address' : 'the address is not allowed (egress rule)';
    for (const address of addresses) {
      if (!plane.mayReach(address, port)) continue;
      const left = Math.max(1, until - performance.now());
      const failure = await new BackendDial().connect(plane.connect, { host: address, port }, left, opened);
      if (failure === null) return null;
      reason = failure.reason;
      if (failure.refusal === 'backend-connect-timeout') break;
    }
    return reason;
  };
}

function requestProbe(config: ProbeConfig, parts: Parts): Probe {
  const { protocol, timeout } = config;
  const isGrpc = protocol === 'grpc';
  const sending = {
    ...z.strictObject(senderFields).parse({ asyncBehavior: 'streaming', disableReuseConnection: true }),
    tls: config.tls,
    connectionTimeout: timeout,
    soTimeout: timeout,
    ...(isGrpc ? ({ protocolVersion: 'HTTP/2', http2PriorKnowledge: true } as const) : {}),
  };
  const resolve = (reference: Reference) =>
    reference === sending.proxyOptions ? NO_PROXY : parts.resolve(reference as never);
  const direct = Object.create(parts, { resolve: { value: resolve } }) as Parts; // a copy would lack what parts compute
  const ways = new BackendWays(sending, direct, () => true); // results of probes are logged where they change something
  const setOf = backendSets(sending, direct, ways, backendWebSockets(sending.websocket, sending.soTimeout));
  const { plain, secure } = setOf(parts.plane.mayReach, parts.plane.egress !== undefined);

  return async function probe({ base, serverName }) {
    const backend = (base.scheme === 'https' ? secure : plain).create(base.host, base.port, serverName);
    let refusal: string | null = null;
    const send: Next = (exchange) =>
      mapResponse(backend.handle(exchange), exchange, (response) => {
        const { cause } = response;
        if (response.refusal !== null) refusal = typeof cause === 'string' ? cause : response.refusal;
        return response;
      });
    try {
      const request = isGrpc ? grpcRequest(config, base) : httpRequest(config, base);
      const answer = await callHandler(send, request, { parent: null, timeout: timeout.milliseconds });
      return refusal ?? (isGrpc ? grpcVerdict(answer) : httpVerdict(answer, config));
    } catch (error) {
      return refusal ?? errorText(error);
    } finally {
      backend.close();
    }
  };
}

function httpRequest({ path, host }: ProbeConfig, base: Uri): OwnRequest {
  const uri = Uri.parse(`${base.scheme}://${base.authority}${path}`);
  return { method: 'GET', uri, headers: host === undefined ? {} : { Host: host } };
}

function httpVerdict({ status }: OwnAnswer, { expectedStatuses }: ProbeConfig): string | null {
  const isExpected = expectedStatuses.length === 0 ? status >= 200 && status < 300 : expectedStatuses.includes(status);
  return isExpected ? null : `the response has status ${status}`;
}

/** `Check` of the health service of gRPC, with the name of a service in field 1. */
function grpcRequest({ service }: ProbeConfig, base: Uri): OwnRequest {
  const name = Buffer.from(service);
  const message = name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  return {
    method: 'POST',
    uri: Uri.parse(`${base.scheme}://${base.authority}/grpc.health.v1.Health/Check`),
    headers: { 'Content-Type': 'application/grpc', TE: 'trailers' },
    content: Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]),
  };
}

/** The answer is SERVING, which is 1 in field 1, after five bytes that say how long the message is. */
function grpcVerdict({ status, content }: OwnAnswer): string | null {
  if (status !== 200) return `the response has status ${status}`;
  return content.length >= 7 && content[5] === 0x08 && content[6] === 1 ? null : 'the gRPC service is not SERVING';
}
