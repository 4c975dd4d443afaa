import { isJsonObject, type JsonObject } from '../../contract/document/json-value.ts';
import type { Path, Problem, ProblemCode } from '../../contract/problem.ts';
import { annotationName, type PodWishes } from './pod-annotations.ts';
import { applicationPorts, containerPorts, itemsOf, memberOf, volumeMounts } from './pod-facts.ts';
import { ownPorts, SIDECAR_NAME, TRAFFIC_PORT_NAME } from './sidecar-container.ts';
import type { SidecarSettings } from './sidecar-settings.ts';

export interface ObstacleTerms {
  readonly settings: SidecarSettings;
  readonly wishes: PodWishes;
  /** What the sidecar brings along. */
  readonly volumes: readonly { readonly name: string }[];
}

/** Everything about a Pod that a sidecar cannot live with. */
export function podObstacles(pod: JsonObject, { settings, wishes, volumes }: ObstacleTerms): Problem[] {
  const { spec } = pod;
  if (!isJsonObject(spec)) return [error('missing', ['spec'], 'is required')];
  return [...surroundingsProblems(spec), ...nameProblems(pod, volumes), ...portProblems(pod, settings, wishes)];
}

/** The ports of the application: those that the Pod says, or the only one that its containers have. */
export function appPortsOf(pod: JsonObject, { appPorts }: PodWishes): readonly number[] {
  return appPorts ?? [...new Set(applicationPorts(pod).map(({ port }) => port))];
}

function surroundingsProblems(spec: JsonObject): Problem[] {
  const problems: Problem[] = [];
  if (spec['hostNetwork'] === true) {
    const message =
      "a Pod with hostNetwork cannot have a sidecar: its ports would be the node's, and loopback would be " +
      'open to everything on the node';
    problems.push(error('not-allowed', ['spec', 'hostNetwork'], message));
  }
  const windows = 'there is no sidecar for Windows: the image is for Linux';
  if (memberOf(spec['os'], 'name') === 'windows') problems.push(error('not-allowed', ['spec', 'os', 'name'], windows));
  const selector = 'kubernetes.io/os';
  if (memberOf(spec['nodeSelector'], selector) === 'windows') {
    problems.push(error('not-allowed', ['spec', 'nodeSelector', selector], windows));
  }
  return problems;
}

function nameProblems(pod: JsonObject, volumes: ObstacleTerms['volumes']): Problem[] {
  const problems: Problem[] = [];
  for (const list of ['containers', 'initContainers']) {
    for (const { item, path } of itemsOf(pod, list)) {
      if (item['name'] !== SIDECAR_NAME) continue;
      problems.push(error('duplicate-name', [...path, 'name'], 'is reserved for the sidecar'));
    }
  }
  for (const { path, name } of containerPorts(pod)) {
    // a Service that asks for the port of this name would find the application
    if (name !== TRAFFIC_PORT_NAME) continue;
    problems.push(error('duplicate-name', [...path, 'name'], 'is reserved for the port of the sidecar'));
  }
  for (const { name, path } of volumeMounts(pod)) {
    if (!volumes.some((one) => one.name === name)) continue;
    problems.push(
      error('not-allowed', [...path, 'name'], 'is a volume of the sidecar; other containers must not mount it'),
    );
  }
  for (const { item, path } of itemsOf(pod, 'volumes')) {
    if (!volumes.some(({ name }) => name === item['name'])) continue;
    problems.push(error('duplicate-name', [...path, 'name'], 'is reserved for a volume of the sidecar'));
  }
  return problems;
}

function portProblems(pod: JsonObject, settings: SidecarSettings, wishes: PodWishes): Problem[] {
  const problems: Problem[] = [];
  const own = ownPorts(settings, wishes);
  const appPorts = appPortsOf(pod, wishes);
  if (wishes.appPorts === undefined && appPorts.length !== 1) problems.push(appPortProblem(appPorts));
  if (own.port === own.adminPort) {
    const path = annotationPath(wishes.port === undefined ? 'adminPort' : 'port');
    problems.push(error('exclusive', path, `the sidecar cannot use port ${own.port} for clients and for metrics`));
  }
  for (const wish of ['port', 'adminPort'] as const) {
    const port = own[wish];
    const hint = `choose another port for the sidecar with the annotation ${annotationName(wish)}`;
    const taken = containerPorts(pod).find((one) => one.port === port);
    if (taken !== undefined) {
      const message = `the sidecar needs port ${port}, which container ${taken.container} uses`;
      problems.push({ ...error('exclusive', [...taken.path, 'containerPort'], message), hint });
    } else if (wishes.appPorts?.includes(port) === true) {
      const message = `the sidecar needs port ${port}, which the annotation declares as a port of the application`;
      problems.push({ ...error('exclusive', annotationPath('appPorts'), message), hint });
    }
  }
  return problems;
}

function appPortProblem(ports: readonly number[]): Problem {
  const shown = `${ports.slice(0, 20).join(', ')}${ports.length > 20 ? ' and more' : ''}`;
  const found = ports.length === 0 ? 'no container declares a port' : `its containers declare ${shown}`;
  const message = `the port of the application is not known: ${found}`;
  const hint = `set it with the annotation ${annotationName('appPorts')}, such as "8080" or "8080,9000"`;
  return { ...error('missing', annotationPath('appPorts'), message), hint };
}

function annotationPath(wish: keyof PodWishes): Path {
  return ['metadata', 'annotations', annotationName(wish)];
}

function error(code: ProblemCode, path: Path, message: string): Problem {
  return { code, severity: 'error', path, message };
}
