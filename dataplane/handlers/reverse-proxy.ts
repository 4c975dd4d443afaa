import { tlsRemarks } from '../backends/backend-tls.ts';
import { grpcRefusals } from '../backends/grpc-refusals.ts';
import { httpVersionRemarks } from '../backends/http-version.ts';
import { proxyRemarks } from '../backends/proxy-fields.ts';
import { sender } from '../backends/sender.ts';
import { senderConfig, sendsOn } from '../backends/sender-fields.ts';
import { defineHandler } from '../heap/definition.ts';

/** Sends requests on to a protected application. */
export const reverseProxyHandler = defineHandler({
  type: 'ReverseProxyHandler',
  summary:
    'Sends each request to the scheme, host and port of its URI, which a `baseURI` sets, and returns the ' +
    'response. The `Host` header is passed on as received. A backend that cannot be reached or does not answer ' +
    'in time gives 502; with `protocolVersion` HTTP/2, gRPC calls get the gRPC status UNAVAILABLE then. `https` backends use the `tls` options. A request that would come back to the gateway ' +
    'itself is rejected.',
  config: senderConfig,
  examples: [
    { title: 'With all defaults, for use with a baseURI', config: {} },
    {
      title: 'A slow application with WebSockets',
      config: { connections: 128, soTimeout: '1 minute', websocket: { enabled: true, soTimeout: '10 minutes' } },
    },
    {
      title: 'Server-sent events, with pauses of up to ten minutes between them',
      config: { asyncBehavior: 'streaming', soTimeout: '10 minutes' },
    },
    {
      title: 'gRPC without TLS',
      config: { asyncBehavior: 'streaming', protocolVersion: 'HTTP/2', http2PriorKnowledge: true },
    },
    {
      title: 'An unreliable backend: two retries, and an open circuit after five consecutive failures',
      config: {
        retries: { count: 2, delay: '100 ms', condition: '${response.status.code == 503}' },
        circuitBreaker: { maxFailures: 5, openDuration: '10 seconds' },
      },
    },
    { title: 'A forward proxy of an operator: clients choose the host', config: { forwardProxy: true } },
  ],
  remarks: (config) => [...httpVersionRemarks(config), ...tlsRemarks(config), ...proxyRemarks(config)],
  sendsOn,
  create(config, parts) {
    const send = sender(config, parts);
    return config.protocolVersion === 'HTTP/2' ? grpcRefusals(send) : send;
  },
});
