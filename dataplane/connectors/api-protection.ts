import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Reach } from '../../contract/reach.ts';
import type { AdminGuard } from '../../platform/admin/admin-guard.ts';
import { Headers } from '../engine/head/headers.ts';
import { listenerLimits } from '../engine/head/limits.ts';
import { Exchange, type Filter, type Origin } from '../engine/message/exchange.ts';
import { Request } from '../engine/message/request.ts';
import { Response } from '../engine/message/response.ts';
import { Uri } from '../engine/message/uri.ts';
import { webSocketTerms } from '../engine/message/websocket-terms.ts';
import { connectWire } from '../engine/wire/connect.ts';
import { checkDefaultObjects } from '../heap/default-objects.ts';
import { Heap } from '../heap/heap.ts';
import { loadNamedParts } from '../heap/named-parts.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { namedMemory } from '../heap/shared-memory.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { documentReading } from '../routes/document-reading.ts';
import { checkAdmin } from './check-admin.ts';

export interface ApiProtectionOptions {
  /** `admin.json` with its tokens and properties resolved. */
  readonly document: JsonObject;
  readonly catalogue: TypeCatalogue;
  readonly reach: Reach;
  readonly log: Logger;
}

/** Most bytes of the answer of a filter. */
const LONGEST_ANSWER = 1 << 20;

/**
 * Builds the filter of `admin.json` in front of the API of the admin port. A request that the filter passes on is
 * admitted; otherwise its client gets the answer of the filter, and a filter that fails refuses.
 *
 * @returns null if there is no such filter
 * @throws BuildFailure
 */
export async function apiProtection(options: ApiProtectionOptions): Promise<AdminGuard | null> {
  const { document, catalogue, reach, log } = options;
  await loadNamedParts(catalogue, [document]);
  const check = { catalogue, reading: documentReading(reach, [document], () => {}), report: (): void => {} };
  const plane = servicesOf(reach, log);
  const defaults = new Heap(checkDefaultObjects(check), null, plane);
  const { admin } = checkAdmin(document, defaults.scope, check);
  if (admin === null || admin.protection === null) return null;
  const filter = new Heap(admin.scope, defaults, plane).get(admin.protection) as Filter;
  return {
    async admit(request) {
      let isPassed = false;
      const answer = await filter(exchangeOf(request), () => {
        isPassed = true;
        return new Response(204);
      });
      if (isPassed) return null;
      const body = await answer.entity.bytes(LONGEST_ANSWER);
      const challenge = answer.headers.get('www-authenticate');
      return {
        status: answer.status,
        message: body.length === 0 ? 'the filter in front of the API rejected the request' : body.toString(),
        ...(challenge === null ? {} : { headers: { 'www-authenticate': challenge } }),
      };
    },
  };
}

function servicesOf(reach: Reach, log: Logger): PlaneServices {
  return {
    reach,
    log,
    observe() {},
    count() {},
    counter: () => () => {},
    gauge: () => () => {},
    sharedMemory: namedMemory(),
    mayReach: () => true,
    connect: connectWire,
    streaming: true,
  };
}

/** The body of the request is not for the filter: nothing of it is read before the caller is admitted. */
function exchangeOf(request: IncomingMessage): Exchange {
  const { method = 'GET', url = '/', socket } = request;
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  const uri = Uri.parse(`${scheme}://${request.headers.host ?? 'localhost'}${url}`);
  const headers = Headers.empty();
  const { rawHeaders } = request;
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const received = new Request(method, uri.target, uri.scheme, uri.authority, 'HTTP/1.1', headers, null, false);
  return new Exchange(originOf(request, uri), received, performance.now());
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
