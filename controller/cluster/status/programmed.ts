import type { RouteProblems } from '../../../contract/channel.ts';
import { pathText } from '../../../contract/problem.ts';
import { routeKeyText } from '../../../contract/snapshot.ts';
import type { ConditionVerdict, ResourceVerdict } from '../../compile/resources/resource-verdict.ts';
import { BASE_PROBLEMS, type PlaneFacts } from '../../publish/plane-facts.ts';
import type { SelectedPlanes } from '../../publish/route-planes.ts';
import { loginFailures, suspendedScripts } from '../../publish/route-troubles.ts';

/** Reasons of the condition Programmed. docs/operating.md explains each. */
export type ProgrammedReason =
  | 'Programmed'
  | 'Pending'
  | 'PlaneRefused'
  | 'NoPlanes'
  | 'GroupNotGranted'
  | 'LastGoodServes'
  | 'RefusesTraffic'
  | 'TakesNoTraffic'
  | 'BaseConfigurationInvalid';

/** How far a Route has come. */
export interface Programmed extends ConditionVerdict<string> {
  /** For a column: how many planes of how many run what was compiled, and what that is unless it is this generation. */
  readonly text: string;
}

/** How many planes that could not build a route are named. */
const NAMED_PLANES = 3;

/** How far a Route has come on the planes that are to run it. */
export function programmedOf(verdict: ResourceVerdict, { planes, withheld }: SelectedPlanes): Programmed {
  const { serves, servingGeneration, resource, remembered } = verdict;
  const n = planes.length;
  const wanted = remembered ?? verdict.route;
  if (wanted === null) return { ...notServed(serves === 'waits'), text: `0/${n}` };
  const key = routeKeyText(wanted);
  const missing = planes.filter((plane) => plane.running.get(key) !== wanted.hash);
  const running = n - missing.length;
  const refused = missing.filter((plane) => problemsOf(plane, key) !== null);
  const refuses = remembered === undefined && verdict.route?.refuses === true;
  const generation = remembered?.generation ?? servingGeneration ?? '?';
  const isThis = serves === 'this' && generation === resource.generation;
  const text = `${running}/${n}${refuses ? ' (refuses)' : isThis ? '' : ` (gen ${generation})`}`;
  if (n === 0 && withheld.length > 0) {
    return { status: false, reason: 'GroupNotGranted', message: withheldText(withheld), text };
  }
  if (n === 0) return { status: false, reason: 'NoPlanes', message: 'no data plane matches its selector', text };
  const count = `${running} of ${n} planes`;
  const also = withheld.length === 0 ? '' : `; ${withheldText(withheld)}`;
  const lost = missing.filter(({ cutOffSince, isAwaited }) => cutOffSince !== undefined || isAwaited === true);
  const say = (message: string): string => `${withRefusals(message, refused, key)}${unreachedText(lost)}${also}`;
  if (refuses) return { status: false, reason: 'RefusesTraffic', message: say(`${count} reject its requests`), text };
  if (!isThis) {
    const message = say(`${count} run generation ${generation}, which keeps serving`);
    return { status: false, reason: 'LastGoodServes', message, text };
  }
  const message = say(`${count} run this generation`);
  if (running === n) return { status: true, reason: 'Programmed', message, text };
  return { status: false, reason: refused.length > 0 ? 'PlaneRefused' : 'Pending', message, text };
}

/** Names data planes where the agent of an AmService of the route cannot log in; null where there are none. */
export function loginNoteOf(verdict: ResourceVerdict, selected: SelectedPlanes): string | null {
  const planes = planesWhere(verdict, selected, loginFailures);
  return planes && `the agent of an AmService cannot log in at data plane ${planes}; the log there has the reason`;
}

/** Names data planes that suspended a script of the route; null where there are none. */
export function scriptNoteOf(verdict: ResourceVerdict, selected: SelectedPlanes): string | null {
  const planes = planesWhere(verdict, selected, suspendedScripts);
  return planes && `a script exceeds its limits and is suspended at data plane ${planes}; the log there names it`;
}

function planesWhere(
  { route }: ResourceVerdict,
  { planes }: SelectedPlanes,
  troubled: typeof loginFailures,
): string | null {
  const key = route === null ? null : routeKeyText(route);
  const found = key === null ? [] : planes.filter(({ lastReport }) => troubled(lastReport?.report).has(key));
  if (found.length === 0) return null;
  const named = found.slice(0, NAMED_PLANES).map(planeName).join(', ');
  return found.length > NAMED_PLANES ? `${named} and ${found.length - NAMED_PLANES} more` : named;
}

/** Names data planes that still serve their previous version, because no controller reaches them. */
function unreachedText(planes: readonly PlaneFacts[]): string {
  const parts = planes.slice(0, NAMED_PLANES).map((plane) => {
    if (plane.cutOffSince === undefined)
      return `; data plane ${planeName(plane)} is Ready but not connected to a controller`;
    const since = new Date(plane.cutOffSince).toISOString().replace(/\.\d+Z$/, 'Z');
    return `; data plane ${planeName(plane)} has had no contact with a controller since ${since}, but its Pod is Ready`;
  });
  const more =
    planes.length > NAMED_PLANES ? [`; and ${planes.length - NAMED_PLANES} more data planes without contact`] : [];
  return [...parts, ...more].join('');
}

function planeName({ identity: { namespace, name } }: PlaneFacts): string {
  return namespace === null ? name : `${namespace}/${name}`;
}

function withheldText(groups: readonly string[]): string {
  const named = groups.map((name) => `'${name}'`).join(', ');
  return `it selects data planes of ${groups.length === 1 ? 'the group' : 'the groups'} ${named}, which an operator has not opened to its tenant`;
}

function notServed(waits: boolean): ConditionVerdict<ProgrammedReason> {
  return waits
    ? {
        status: false,
        reason: 'BaseConfigurationInvalid',
        message: 'nothing is served until the base configuration is valid',
      }
    : { status: false, reason: 'TakesNoTraffic', message: 'not sent to data planes: its condition is not valid' };
}

/** Why a plane does not run a route: what it could not build of it, or of the base. */
function problemsOf({ problems }: PlaneFacts, key: string): RouteProblems | null {
  return problems.get(key) ?? problems.get(BASE_PROBLEMS) ?? null;
}

/** Adds what planes say that could not build it. Planes that are alike say the same: the first ones are enough. */
function withRefusals(text: string, refused: readonly PlaneFacts[], key: string): string {
  const parts = refused.slice(0, NAMED_PLANES).map((plane) => {
    const { problems = [], keepsServing = false } = problemsOf(plane, key) ?? {};
    const said = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`))
      .join('; ');
    const rest = keepsServing ? ' (the previous version keeps serving there)' : '';
    return `plane ${planeName(plane)}: ${said || 'could not build it'}${rest}`;
  });
  const more = refused.length > NAMED_PLANES ? [`and ${refused.length - NAMED_PLANES} more data planes`] : [];
  return [text, ...parts, ...more].join('; ');
}
