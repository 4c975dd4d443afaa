import { didYouMean } from '../../contract/did-you-mean.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import { GROUP } from '../../contract/resources/resource.ts';
import { metadataMap } from './pod-facts.ts';
import { logLevel, QUANTITY, type SidecarSettings } from './sidecar-settings.ts';

/** Wishes of a Pod for its sidecar. Fields that it does not set are undefined. */
export interface PodWishes {
  readonly appPorts: readonly number[] | undefined;
  readonly port: number | undefined;
  readonly adminPort: number | undefined;
  readonly cpuRequest: string | undefined;
  readonly cpuLimit: string | undefined;
  readonly memoryRequest: string | undefined;
  readonly memoryLimit: string | undefined;
  readonly logLevel: SidecarSettings['logLevel'] | undefined;
  /** Whether it starts before all init containers of the Pod or after them. */
  readonly start: 'first' | 'last' | undefined;
  readonly appListens: 'loopback' | undefined;
}

type Reader<T> = (text: string) => { readonly value: T } | { readonly problem: string };

const PREFIX = `${GROUP}/`;
/** Unknown annotations that are told: nobody reads more, and to find out what was meant takes its time. */
const MOST_UNKNOWN = 50;

/** Every annotation of a Pod that counts, by what it says. */
export const podAnnotations: { readonly [Wish in keyof PodWishes]: readonly [name: string, Reader<PodWishes[Wish]>] } =
  {
    appPorts: ['app-port', readPorts],
    port: ['port', readOwnPort],
    adminPort: ['admin-port', readOwnPort],
    cpuRequest: ['cpu-request', readQuantity],
    cpuLimit: ['cpu-limit', readQuantity],
    memoryRequest: ['memory-request', readQuantity],
    memoryLimit: ['memory-limit', readQuantity],
    logLevel: ['log-level', oneOf(logLevel.options)],
    start: ['start', oneOf(['first', 'last'] as const)],
    appListens: ['app-listens', oneOf(['loopback'] as const)],
  };

/** The annotation's whole name. */
export function annotationName(wish: keyof PodWishes): string {
  return `${PREFIX}${podAnnotations[wish][0]}`;
}

/** Reads the wishes in the annotations of a Pod, with all their problems. */
export function podWishes(pod: JsonObject): { readonly wishes: PodWishes; readonly problems: readonly Problem[] } {
  const annotations = metadataMap(pod, 'annotations');
  const problems: Problem[] = [];
  const names = Object.values(podAnnotations).map(([name]) => `${PREFIX}${name}`);
  for (const key of Object.keys(annotations)) {
    if (!key.startsWith(PREFIX) || names.includes(key)) continue;
    problems.push(unknown(key, names));
    if (problems.length === MOST_UNKNOWN) break;
  }
  const wishes: PodWishes = {
    appPorts: read('appPorts'),
    port: read('port'),
    adminPort: read('adminPort'),
    cpuRequest: read('cpuRequest'),
    cpuLimit: read('cpuLimit'),
    memoryRequest: read('memoryRequest'),
    memoryLimit: read('memoryLimit'),
    logLevel: read('logLevel'),
    start: read('start'),
    appListens: read('appListens'),
  };
  return { wishes, problems };

  function read<Wish extends keyof PodWishes>(wish: Wish): PodWishes[Wish] | undefined {
    const name = annotationName(wish);
    const text = Object.hasOwn(annotations, name) ? annotations[name] : undefined;
    if (text === undefined) return undefined;
    const path = ['metadata', 'annotations', name];
    const reader: Reader<PodWishes[Wish]> = podAnnotations[wish][1];
    const reading = typeof text === 'string' ? reader(text) : { problem: 'must be a text: put it in quotes' };
    if ('value' in reading) return reading.value;
    problems.push({ code: 'value', severity: 'error', path, message: reading.problem });
    return undefined;
  }
}

function unknown(key: string, names: readonly string[]): Problem {
  const meant = didYouMean(key, names);
  const hint = meant === undefined ? `known ones: ${names.join(', ')}` : `did you mean '${meant}'?`;
  const message = 'there is no such annotation of Pods';
  return { code: 'unknown-field', severity: 'error', path: ['metadata', 'annotations', key], message, hint };
}

function readPorts(text: string): ReturnType<Reader<readonly number[]>> {
  const ports = text.split(',').map((one) => portOf(one.trim()));
  if (ports.some((port) => port < 1))
    return { problem: `must be a port, or several with commas between, not '${text}'` };
  return { value: [...new Set(ports)] };
}

function readOwnPort(text: string): ReturnType<Reader<number>> {
  const port = portOf(text);
  return port >= 1024 ? { value: port } : { problem: `must be a port from 1024 to 65535, not '${text}'` };
}

/** 0 for what is none. */
function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
}

function readQuantity(text: string): ReturnType<Reader<string>> {
  return QUANTITY.test(text)
    ? { value: text }
    : { problem: `must be an amount such as 100m, 0.5 or 128Mi, not '${text}'` };
}

function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (text) => {
    const value = values.find((one) => one === text);
    return value === undefined ? { problem: `must be ${values.join(' or ')}, not '${text}'` } : { value };
  };
}
