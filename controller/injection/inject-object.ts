import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import { type Injection, type InjectionTerms, injectPod } from './inject-pod.ts';
import { memberOf } from './pod-facts.ts';

/** Where the objects of Kubernetes that make Pods have the template of one, by group and kind. */
const templates: ReadonlyMap<string, Path> = new Map([
  ['/Pod', []],
  ['/ReplicationController', ['spec', 'template']],
  ['apps/Deployment', ['spec', 'template']],
  ['apps/StatefulSet', ['spec', 'template']],
  ['apps/DaemonSet', ['spec', 'template']],
  ['apps/ReplicaSet', ['spec', 'template']],
  ['batch/Job', ['spec', 'template']],
  ['batch/CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
]);

/** Puts a sidecar into a Pod, or into the Pods that an object makes. Null for an object that makes none. */
export function injectObject(object: JsonObject, terms: InjectionTerms): Injection | null {
  const [version, kind] = [String(object['apiVersion'] ?? ''), String(object['kind'] ?? '')];
  const group = version.includes('/') ? version.split('/', 1)[0] : '';
  const path = templates.get(`${group}/${kind}`);
  if (path === undefined) return null;
  const pod = path.reduce<JsonObject[string] | undefined>((value, step) => memberOf(value, String(step)), object);
  if (!isJsonObject(pod)) return { outcome: 'refused', problems: [missing(path)] };
  const injection = injectPod(pod, terms);
  switch (injection.outcome) {
    case 'injected':
      return { ...injection, additions: injection.additions.map((one) => ({ ...one, path: [...path, ...one.path] })) };
    case 'refused':
      return { ...injection, problems: injection.problems.map((one) => ({ ...one, path: [...path, ...one.path] })) };
    default:
      return injection;
  }
}

function missing(path: Path): Problem {
  return { code: 'missing', severity: 'error', path, message: 'is required' };
}
