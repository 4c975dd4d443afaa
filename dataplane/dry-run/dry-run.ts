import { percentDecoded } from '../../contract/percent-decoded.ts';
import type { DryRun } from '../../contract/shown/dry-run.ts';
import { faultResponse } from '../engine/message/fault.ts';
import type { Response } from '../engine/message/response.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { documentReading } from '../routes/document-reading.ts';
import type { ServedParts } from '../routes/generation.ts';
import { describedExchange, type RequestDescription } from './described-exchange.ts';
import { DryHeap } from './dry-heap.ts';
import { type IsSent, type ShownText, withoutAddedParameters, withoutAddedQuery } from './seen-values.ts';
import { StepRecord, ToldFailure } from './step-record.ts';

/** Milliseconds after which a dry run ends at the object that it waits for. */
const LONGEST = 5000;

/**
 * Passes a request through the filters and handlers of a configuration that serves. Nothing is sent to backends, counted,
 * audited or kept; objects that could do more than change the request do not run.
 */
export async function dryRun(served: ServedParts, request: RequestDescription, unit: number): Promise<DryRun> {
  const isSent = sentBy(request);
  const record = new StepRecord(isSent);
  const releases: (() => void | Promise<void>)[] = [];
  const { heap, document, tables, plane, revision } = served;
  const exchange = describedExchange(request);
  exchange.access = record.entry;
  const dry = new DryHeap(heap, {
    ...{ tables, record, plane: quiet(plane), liveMemory: plane.sharedMemory, shownText: shownFor(isSent) },
    reading: documentReading(plane.reach, [], () => {}),
    onClose: (release) => void releases.push(release),
  });
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => {
      record.abort(`it did not answer within ${LONGEST / 1000} seconds`);
      resolve(null);
    }, LONGEST);
  });
  try {
    const response = await Promise.race([answerOf(() => dry.main(document)(exchange)), late]);
    const { steps, leftOut } = record.result;
    const isAssumed = steps.at(-1)?.outcome === 'assumed';
    response?.abandon();
    return {
      ...{ revision, unit, steps, ...(leftOut > 0 && { leftOut }) },
      status: isAssumed ? null : (response?.status ?? null),
      milliseconds: Math.round((performance.now() - start) * 1000) / 1000,
    };
  } finally {
    clearTimeout(timer);
    for (const release of releases.reverse()) void release();
  }
}

/** The answer, also if an object failed, which a step tells. */
async function answerOf(run: () => Response | PromiseLike<Response>): Promise<Response> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ToldFailure) return faultResponse(error.cause, () => {});
    throw error;
  }
}

/** Services that count, record and connect nothing. */
function quiet({
  auditLink: _link,
  audit: _audit,
  announce: _ended,
  refreshExchange: _told,
  ...plane
}: PlaneServices): PlaneServices {
  return {
    ...plane,
    log: plane.log.child({}, { level: 'silent' }),
    observe() {},
    count() {},
    counter: () => () => {},
    gauge: () => () => {},
    claim() {},
    mayReach: () => false,
    isDryRun: true,
  };
}

/** Places whose texts come from the client, from the route or from a valid token, and from nowhere else. */
const OPEN_PLACES = [
  'request.method',
  'request.uri',
  'contexts.client',
  'contexts.router',
  'contexts.oauth2.accessToken.info',
  'contexts.oauth2.accessToken.scopes',
];
const QUERIES = ['request.uri.query', 'request.uri.rawQuery'];

/** Filters may put secrets of the gateway anywhere, so that other texts are shown only if the caller sent them. */
function shownFor(isSent: IsSent): ShownText {
  return (path, text) => {
    const place = path.join('.');
    if (QUERIES.includes(place)) return withoutAddedParameters(text, isSent);
    if (place.startsWith('request.uri')) return withoutAddedQuery(text, isSent);
    const isOpen = OPEN_PLACES.some((open) => `${place}.`.startsWith(`${open}.`));
    return isOpen || isSent(text) ? text : null;
  };
}

function sentBy({ method = '', uri = '', headers = [], entity }: RequestDescription): IsSent {
  const lines = Array.isArray(headers) ? headers : Object.values(headers).flat();
  const sent = [method, uri, percentDecoded(uri), ...lines, JSON.stringify(entity ?? ''), String(entity ?? '')];
  return (text) => sent.some((one) => one.includes(text));
}
