import type { ServerOptions } from 'node:http2';
import { priorKnowledge } from '../../../dataplane/engine/http2/prior-knowledge.ts';
import { connectWire } from '../../../dataplane/engine/wire/connect.ts';
import { Http2Backend, type StreamHandler } from '../backends/http2-backend.ts';
import { type Script, ScriptedBackend } from '../backends/scripted-backend.ts';
import { type Proxied, type ProxiedBackend, type ProxiedBackendOptions, startBefore } from './proxied-backend.ts';

/** How a backend is spoken to in HTTP/2 from the first byte. */
export const KNOWN_HTTP2 = { connect: priorKnowledge(connectWire), http2: 'negotiated' } as const;

/** Starts a backend on Node's own HTTP/2 server, with the engine in front of it, for one test. */
export function startProxiedHttp2(
  handler: StreamHandler,
  options: ProxiedBackendOptions = {},
  server: ServerOptions = {},
): Promise<Proxied<Http2Backend>> {
  return startBefore(Http2Backend.start(handler, server), {
    ...options,
    backend: { ...KNOWN_HTTP2, ...options.backend },
  });
}

/** The same with a backend that does on every connection what the test says. */
export function startScriptedHttp2(script: Script, options: ProxiedBackendOptions = {}): Promise<ProxiedBackend> {
  return startBefore(ScriptedBackend.start(script), { ...options, backend: { ...KNOWN_HTTP2, ...options.backend } });
}
