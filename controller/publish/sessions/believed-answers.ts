import type { Report, RouteProblems } from '../../../contract/channel.ts';
import type { Problem } from '../../../contract/problem.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import type { PlaneView } from './plane-view.ts';

/** As much as people read of what is wrong with one route: what planes say is kept as long as they have it. */
const MOST_PROBLEMS = 8;
const LONGEST_TEXT = 1_000;
const LONGEST_PATH = 32;
/** The route of a router's default handler in reports. */
const DEFAULT_ROUTE = 'default';

/** Problems that a data plane reports for the routes that it should run; others are ignored. */
export function believedProblems(
  problems: readonly RouteProblems[],
  isKnown: (key: string) => boolean,
): readonly RouteProblems[] {
  return problems
    .filter(({ route }) => route === null || isKnown(routeKeyText(route)))
    .map(({ route, problems: all, keepsServing }) => ({ route, problems: shortened(all), keepsServing }));
}

/** Report of a data plane for the routes that it should run, under their names here. */
export function believedReport(report: Report, view: PlaneView | null): Report {
  const seen = new Set<string>();
  const routes = report.routes.flatMap((route) => {
    const key = routeKeyText(route);
    if (seen.has(key)) return [];
    seen.add(key);
    const { router, id, figures, counts } = route;
    const numbers = counts === undefined ? { figures } : { figures, counts };
    const entry = view?.entries.get(key);
    if (entry === undefined) {
      const isDefault = id === DEFAULT_ROUTE && view?.defaults.includes(router) === true;
      return isDefault ? [{ router, id, name: DEFAULT_ROUTE, ...numbers }] : [];
    }
    return [{ router, id, name: entry.route?.name ?? route.name.slice(0, LONGEST_TEXT), ...numbers }];
  });
  return { ...report, routes };
}

function shortened(problems: readonly Problem[]): Problem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return (errors.length > 0 ? errors : problems)
    .slice(0, MOST_PROBLEMS)
    .map(({ code, severity, path, message, hint }) => ({
      code,
      severity,
      path: path.slice(0, LONGEST_PATH).map((step) => (typeof step === 'string' ? step.slice(0, LONGEST_TEXT) : step)),
      message: message.slice(0, LONGEST_TEXT),
      ...(hint === undefined ? {} : { hint: hint.slice(0, LONGEST_TEXT) }),
    }));
}
