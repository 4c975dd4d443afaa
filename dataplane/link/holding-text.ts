import { type BaseEntry, type RouteEntry, routeKeyText, type SharedResource } from '../../contract/snapshot.ts';
import type { Holding } from './holding.ts';

/** The first line of a holding as text. */
interface Head {
  /** When a controller last stood by it, in milliseconds since 1970. */
  readonly time: number;
  readonly revision: string;
  readonly base: BaseEntry;
  readonly defaults: readonly string[];
  readonly gone: readonly (readonly [uid: string, resourceVersion: string])[];
  /** Absent in what an older program wrote. */
  readonly resources?: readonly SharedResource[];
  /** How many routes follow, one in each line. */
  readonly routes: number;
}

export interface TimedHolding {
  readonly holding: Holding;
  readonly time: number;
}

/** How many routes one piece of the text has. */
const ROUTES_PER_PIECE = 200;

/** A holding as text, in pieces that are quickly made. It holds secrets. */
export function* holdingText(holding: Holding, time: number): Generator<string> {
  const { revision, base, defaults, gone, routes } = holding;
  const resources = [...holding.resources.values()];
  const head: Head = { time, revision, base, defaults, gone: [...gone], resources, routes: routes.size };
  yield `${JSON.stringify(head)}\n`;
  let piece = '';
  let count = 0;
  for (const entry of routes.values()) {
    piece += `${JSON.stringify(entry)}\n`;
    if (++count % ROUTES_PER_PIECE !== 0) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Reads what `holdingText` wrote. @throws Error when it is something else */
export function readHoldingText(text: string): TimedHolding {
  const lines = text.split('\n');
  const head = JSON.parse(lines[0] ?? '') as Head;
  const entries = lines.slice(1, -1).map((line) => JSON.parse(line) as RouteEntry);
  if (entries.length !== head.routes) throw new Error('routes are missing');
  const { revision, base, defaults, gone, time } = head;
  const routes = new Map(entries.map((entry) => [routeKeyText(entry), entry]));
  const resources = new Map((head.resources ?? []).map((one) => [one.key, one]));
  return { holding: { revision, base, defaults, routes, gone: new Map(gone), unbuilt: new Set(), resources }, time };
}
