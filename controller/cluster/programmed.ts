import { pathText } from '../../contract/problem.ts';
import { routeKeyText } from '../../contract/snapshot.ts';
import type { ConditionVerdict, ResourceVerdict } from '../compile/resources/resource-verdict.ts';
import type { PlaneFacts } from '../publish/plane-facts.ts';

/** Reasons of the condition Programmed. docs/operating.md explains each. */
export type ProgrammedReason =
  | 'Programmed'
  | 'Pending'
  | 'PlaneRefused'
  | 'NoPlanes'
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
export function programmedOf(verdict: ResourceVerdict, planes: readonly PlaneFacts[]): Programmed {
  const { route, serves, servingGeneration, resource } = verdict;
  const n = planes.length;
  if (route === null) {
    return serves === 'waits'
      ? {
          status: false,
          reason: 'BaseConfigurationInvalid',
          message: 'nothing is served before the base is sound',
          text: `0/${n}`,
        }
      : {
          status: false,
          reason: 'TakesNoTraffic',
          message: 'no plane gets it: it is not known which requests it is about',
          text: `0/${n}`,
        };
  }
  const key = routeKeyText(route);
  const running = planes.filter((plane) => plane.running.get(key) === route.hash).length;
  const refused = planes.filter((plane) => plane.running.get(key) !== route.hash && plane.problems.has(key));
  const isThis = serves === 'this' && servingGeneration === resource.generation;
  const aside = route.refuses === true ? ' (refuses)' : isThis ? '' : ` (gen ${servingGeneration ?? '?'})`;
  const text = `${running}/${n}${aside}`;
  if (n === 0) return { status: false, reason: 'NoPlanes', message: 'no plane is there that it selects', text };
  const count = `${running} of ${n} ${n === 1 ? 'plane' : 'planes'}`;
  if (route.refuses === true) {
    const message = withRefusals(`${count} answer its requests with 500`, refused, key);
    return { status: false, reason: 'RefusesTraffic', message, text };
  }
  if (!isThis) {
    const message = withRefusals(
      `${count} run generation ${servingGeneration ?? '?'}, which keeps serving`,
      refused,
      key,
    );
    return { status: false, reason: 'LastGoodServes', message, text };
  }
  if (running === n) return { status: true, reason: 'Programmed', message: `${count} run this generation`, text };
  const reason = refused.length > 0 ? 'PlaneRefused' : 'Pending';
  return { status: false, reason, message: withRefusals(`${count} run this generation`, refused, key), text };
}

/** Adds what planes say that could not build it. Planes whisper the same when they are alike: the first ones are enough. */
function withRefusals(text: string, refused: readonly PlaneFacts[], key: string): string {
  const parts = refused.slice(0, NAMED_PLANES).map((plane) => {
    const { namespace, name } = plane.identity;
    const { problems = [], keepsServing = false } = plane.problems.get(key) ?? {};
    const said = problems
      .filter(({ severity }) => severity === 'error')
      .map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`))
      .join('; ');
    const rest = keepsServing ? ' (the version before it keeps serving there)' : '';
    return `plane ${namespace === null ? name : `${namespace}/${name}`}: ${said || 'could not build it'}${rest}`;
  });
  const more = refused.length > NAMED_PLANES ? [`and ${refused.length - NAMED_PLANES} more planes`] : [];
  return [text, ...parts, ...more].join('; ');
}
