import type { IncomingMessage } from 'node:http';
import { hasBody } from '../../platform/admin/admin-body.ts';
import { BodyTooLong } from '../../platform/admin/admin-filter.ts';
import { Headers } from '../engine/head/headers.ts';
import { listenerLimits } from '../engine/head/limits.ts';
import { Exchange, type Origin } from '../engine/message/exchange.ts';
import { Request } from '../engine/message/request.ts';
import { Uri } from '../engine/message/uri.ts';
import { webSocketTerms } from '../engine/message/websocket-terms.ts';

const OVERRIDE = 'x-http-method-override';

/**
 * Returns a request to an admin port as an exchange. The body is read when somebody asks for it. An overridden method is
 * the method, for filters that look at it.
 *
 * @param origin scheme, host and port that clients use; by default those of the request
 */
export function adminExchange(request: IncomingMessage, longestBody: number, origin?: string): Exchange {
  const { method: sent = 'GET', url = '/', socket } = request;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const uri = Uri.parse(`${origin ?? `${scheme}://${request.headers.host ?? 'localhost'}`}${url}`);
  const headers = Headers.empty();
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const method = sent === 'POST' ? (headers.get(OVERRIDE) ?? sent) : sent;
  headers.remove(OVERRIDE);
  const received = new Request(method, uri.target, uri.scheme, uri.authority, 'HTTP/1.1', headers, null, false);
  if (longestBody > 0 && hasBody(request)) received.entity.setStream(piecesOf(request, longestBody));
  return new Exchange(originOf(request, uri), received, performance.now());
}

async function* piecesOf(request: IncomingMessage, longest: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > longest) throw new BodyTooLong();
    yield piece;
  }
}

function originOf({ socket }: IncomingMessage, uri: Uri): Origin {
  const { remoteAddress = '', remotePort = 0, localAddress = '', localPort = 0 } = socket;
  return {
    facts: {
      serverName: null,
      clientContext: (exchange) => ({
        ...{ remoteAddress, remotePort, localAddress, localPort },
        isSecure: uri.scheme === 'https',
        isExternal: true,
        userAgent: exchange.request.headers.get('user-agent'),
        remoteUser: null,
        certificates: [],
      }),
      remoteAddress: () => remoteAddress,
      originalUri: () => uri,
      forwardingLines: () => Buffer.alloc(0),
    },
    webSockets: webSocketTerms({}, listenerLimits.parse({})),
    interim() {},
  };
}
