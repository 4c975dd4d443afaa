import type { Report } from '../../contract/channel.ts';
import { hasLoginFailed } from '../../contract/route-counts.ts';
import { routeKeyText } from '../../contract/snapshot.ts';

const NONE: ReadonlySet<string> = new Set();
/** Reports are read once, however many routes ask. */
const known = new WeakMap<Report, ReadonlySet<string>>();

/** Routes, by `routeKeyText`, where the agent of an AmService cannot log in, as a plane reported. */
export function loginFailures(report: Report | undefined): ReadonlySet<string> {
  if (report === undefined) return NONE;
  const found = known.get(report);
  if (found !== undefined) return found;
  const failing = report.routes.filter(({ counts }) => counts !== undefined && hasLoginFailed(counts));
  const keys = failing.length === 0 ? NONE : new Set(failing.map(routeKeyText));
  known.set(report, keys);
  return keys;
}

/** Routes where that is not as in the report before. */
export function changedLogins(before: Report | undefined, after: Report): string[] {
  return [...loginFailures(before).symmetricDifference(loginFailures(after))];
}
