import type { Logger } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Reach } from '../../contract/reach.ts';
import { type AdminAnswer, isWhole } from '../../platform/admin/admin-answer.ts';
import { type AdminFilter, BodyTooLong } from '../../platform/admin/admin-filter.ts';
import { EntityTooLarge } from '../engine/message/entity-fault.ts';
import type { Exchange, Filter } from '../engine/message/exchange.ts';
import { Response } from '../engine/message/response.ts';
import { checkDefaultObjects } from '../heap/default-objects.ts';
import { Heap } from '../heap/heap.ts';
import { loadNamedParts } from '../heap/named-parts.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { documentReading } from '../routes/document-reading.ts';
import { adminExchange } from './admin-exchange.ts';
import { adminServices } from './admin-services.ts';
import { checkAdmin } from './check-admin.ts';

export interface AdminProtectionOptions {
  /** `admin.json` with its tokens and properties resolved. */
  readonly document: JsonObject;
  readonly catalogue: TypeCatalogue;
  readonly reach: Reach;
  readonly log: Logger;
}

/** Filters in front of the paths of the admin port; null for none. */
export interface AdminProtection {
  readonly api: AdminFilter | null;
  readonly metrics: AdminFilter | null;
}

/** Most bytes of an answer behind a filter. */
const LONGEST_ANSWER = 256 << 20;
/** Headers that the server writes itself. */
const FRAMING = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'content-type'];

/** Builds the filters of `admin.json` in front of the admin port. @throws BuildFailure */
export async function adminProtection(options: AdminProtectionOptions): Promise<AdminProtection> {
  const { document, catalogue, reach, log } = options;
  await loadNamedParts(catalogue, [document]);
  const check = { catalogue, reading: documentReading(reach, [document], () => {}), report: (): void => {} };
  const plane = adminServices(reach, log);
  const defaults = new Heap(checkDefaultObjects(check), null, plane);
  const { admin } = checkAdmin(document, defaults.scope, check);
  if (admin === null) return { api: null, metrics: null };
  const heap = new Heap(admin.scope, defaults, plane);
  const { api, metrics } = admin.protections;
  return {
    api: api && adminFilter(heap.get(api) as Filter),
    metrics: metrics && adminFilter(heap.get(metrics) as Filter),
  };
}

/** Returns a filter of the data plane as one of the admin port: it sees the body, and its response is sent. */
export function adminFilter(filter: Filter): AdminFilter {
  return {
    async answer(request, longestBody, pass) {
      const exchange = adminExchange(request, longestBody);
      const response = await filter(exchange, async (passed) => {
        const { method, uri, headers } = passed.request;
        const answer = await pass({
          ...{ method, path: uri.rawPath, search: uri.rawQuery ?? '' },
          body: await bodyOf(passed, longestBody),
          header: (name) => headers.get(name),
        });
        return responseOf(answer);
      });
      return answerOf(response);
    },
  };
}

async function bodyOf({ request }: Exchange, longest: number): Promise<Buffer> {
  try {
    return await request.entity.bytes(Math.max(1, longest));
  } catch (error) {
    throw error instanceof EntityTooLarge ? new BodyTooLong() : error;
  }
}

async function responseOf({ status, type, body, headers = {} }: AdminAnswer): Promise<Response> {
  const response = new Response(status);
  if (type !== '') response.headers.set('Content-Type', type);
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value].flat()) response.headers.append(name, one);
  }
  response.entity.set(isWhole(body) ? body : (await Array.fromAsync(body)).join(''));
  return response;
}

async function answerOf({ status, headers, entity, final }: Response): Promise<AdminAnswer> {
  if (!final) throw new Error(`a filter of admin.json answered with the status ${status}`);
  const body = await entity.bytes(LONGEST_ANSWER);
  const lines = Map.groupBy(headers.entries(), ([name]) => name);
  const others = [...lines].flatMap(([name, found]) =>
    FRAMING.includes(name) ? [] : [[name, found.map(([, value]) => value)] as const],
  );
  return { status, type: headers.get('content-type') ?? '', body, headers: Object.fromEntries(others) };
}
