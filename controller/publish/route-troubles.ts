import type { Report } from '../../contract/channel.ts';
import { isCounted, LOGIN_FAILED, placeOf, SCRIPT_SUSPENDED } from '../../contract/route-counts.ts';
import { routeKeyText } from '../../contract/snapshot.ts';

/** Routes, by `routeKeyText`, with troubles at run time that a plane reported. */
interface Troubles {
  readonly logins: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
}

const LOGIN_PLACE = placeOf(LOGIN_FAILED, {});
const SCRIPT_PLACE = placeOf(SCRIPT_SUSPENDED, {});
const EMPTY: ReadonlySet<string> = new Set();
const NONE: Troubles = { logins: EMPTY, scripts: EMPTY };
/** Reports are read once, however many routes ask. */
const known = new WeakMap<Report, Troubles>();

function troublesIn(report: Report | undefined): Troubles {
  if (report === undefined) return NONE;
  const found = known.get(report) ?? {
    logins: counting(report, LOGIN_PLACE),
    scripts: counting(report, SCRIPT_PLACE),
  };
  known.set(report, found);
  return found;
}

function counting({ routes }: Report, place: number): ReadonlySet<string> {
  const troubled = routes.filter(({ counts }) => counts !== undefined && isCounted(place, counts));
  return troubled.length === 0 ? EMPTY : new Set(troubled.map(routeKeyText));
}

/** Routes where the agent of an AmService cannot log in, as a plane reported. */
export function loginFailures(report: Report | undefined): ReadonlySet<string> {
  return troublesIn(report).logins;
}

/** Routes with a suspended script, as a plane reported. */
export function suspendedScripts(report: Report | undefined): ReadonlySet<string> {
  return troublesIn(report).scripts;
}

/** Routes where that is not as in the report before. */
export function changedTroubles(before: Report | undefined, after: Report): string[] {
  const [was, is] = [troublesIn(before), troublesIn(after)];
  return [...was.logins.symmetricDifference(is.logins).union(was.scripts.symmetricDifference(is.scripts))];
}
