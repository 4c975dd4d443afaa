import type { DryRun } from '../../contract/shown/dry-run.ts';
import { faultResponse } from '../engine/message/fault.ts';
import type { Response } from '../engine/message/response.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { documentReading } from '../routes/document-reading.ts';
import type { ServedParts } from '../routes/generation.ts';
import { describedExchange, type RequestDescription } from './described-exchange.ts';
import { DryHeap } from './dry-heap.ts';
import { KnownTexts } from './known-texts.ts';
import { type ShownText, withoutAddedParameters } from './seen-values.ts';
import { StepRecord, ToldFailure } from './step-record.ts';

/** Milliseconds after which a dry run ends at the object that it waits for. */
const LONGEST = 5000;

/**
 * Passes a request through the filters and handlers of a configuration that serves. Nothing is sent to backends, counted,
 * audited or kept; objects that could do more than change the request do not run.
 *
 * @param shownRoute id of the one route whose objects the caller may see; null if they may see all
 */
export async function dryRun(
  served: ServedParts,
  request: RequestDescription,
  unit: number,
  shownRoute: string | null = null,
): Promise<DryRun> {
  const known = new KnownTexts(request);
  const record = new StepRecord(known);
  const releases: (() => void | Promise<void>)[] = [];
  const { heap, document, tables, plane, revision } = served;
  const exchange = describedExchange(request);
  exchange.access = record.entry;
  known.add(exchange.request.uri.authority);
  const setting = {
    ...{ tables, record, known, shownRoute, plane: quiet(plane), liveMemory: plane.sharedMemory },
    shownText: shownFor(known),
    reading: documentReading(plane.reach, [], () => {}),
    onClose: (release: () => void | Promise<void>) => void releases.push(release),
  };
  const dry = new DryHeap(heap, setting, null);
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

/** Places whose texts come from the client or from a valid token, and from nowhere else. */
const OPEN_PLACES = [
  'request.uri.scheme',
  'contexts.client',
  'contexts.oauth2.accessToken.info',
  'contexts.oauth2.accessToken.scopes',
];
const QUERIES = ['request.uri.query', 'request.uri.rawQuery'];
const AUTHORITIES = ['request.uri.host', 'request.uri.authority'];
const URIS = ['request.uri', 'contexts.router'];

/** Filters may put secrets of the gateway anywhere, so that other texts are shown only if the caller knows them. */
function shownFor(known: KnownTexts): ShownText {
  return (path, text) => {
    const place = path.join('.');
    const isIn = (open: string): boolean => `${place}.`.startsWith(`${open}.`);
    if (OPEN_PLACES.some(isIn)) return text;
    if (QUERIES.includes(place)) return withoutAddedParameters(text, known.isSent);
    if (AUTHORITIES.includes(place)) return known.authority(text);
    if (URIS.some(isIn)) return known.uri(text);
    if (place === 'request.method') return known.text(text);
    return known.isSent(text) ? text : null;
  };
}
