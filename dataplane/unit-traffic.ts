import type { MessagePort } from 'node:worker_threads';
import { pino } from 'pino';
import { catalogue } from './catalogue.ts';
import { Backend } from './http/backend.ts';
import type { Next } from './http/exchange.ts';
import { OwnListeners } from './http/own-listeners.ts';
import { refusalResponse } from './http/response.ts';
import type { Endpoint } from './http/wire.ts';
import type { LogLevel } from './log-level.ts';
import { Observations } from './metrics/observations.ts';
import { figuresIn, SlotMemory } from './metrics/route-slots.ts';
import { operatorReach } from './operator-reach.ts';
import { type BuildProblem, Configuration } from './routes/configuration.ts';
import { noFigures } from './routes/route-figures.ts';
import type { BackendServing, ConfigurationServing, UnitOptions, UnitOrder, UnitReport } from './unit-messages.ts';

/** What a unit does with the requests it reads. */
export interface UnitTraffic {
  readonly handle: Next;
  /** What could not be built at the start. */
  readonly problems: readonly BuildProblem[];
  update(order: Extract<UnitOrder, { kind: 'update' }>): readonly BuildProblem[];
  /** The plane accepts requests there: no backend may be at this place. */
  listensAt(endpoint: Endpoint): void;
  close(): void;
}

/** How often observations go to the supervisor, in milliseconds. */
const REPORT_INTERVAL = 1000;

export function unitTraffic(
  { serving, slots, logLevel }: Pick<UnitOptions, 'serving' | 'slots' | 'logLevel'>,
  port: MessagePort,
): UnitTraffic {
  return serving.kind === 'backend' ? backendTraffic(serving) : configuredTraffic(serving, slots, logLevel, port);
}

function backendTraffic({ destination, basePath, connections }: BackendServing): UnitTraffic {
  const backend = new Backend({ destination, connections, responseTimeout: 60_000, upgrades: ['websocket'] });
  return {
    handle: basePath === '' ? backend.handle : below(basePath, backend.handle),
    problems: [],
    update: () => [],
    listensAt() {},
    close: () => backend.close(),
  };
}

/** Puts a base path before the path of every request. */
function below(basePath: string, next: Next): Next {
  return (exchange) => {
    const { uri } = exchange.request;
    if (uri.rawPath !== '*') uri.rawPath = basePath + uri.rawPath;
    return next(exchange);
  };
}

function configuredTraffic(
  { update, reach, prefix }: ConfigurationServing,
  slots: readonly SharedArrayBuffer[],
  level: LogLevel,
  port: MessagePort,
): UnitTraffic {
  const memory = new SlotMemory();
  memory.chunks.push(...slots);
  const observations = new Observations();
  const listeners = new OwnListeners();
  const report = (message: UnitReport): void => port.postMessage(message);
  const configuration = new Configuration({
    catalogue,
    reach: operatorReach(reach),
    log: pino({ name: 'gatewarden', level }, { write: (line: string) => report({ kind: 'line', line }) }),
    figures: (slot) => {
      const figures = memory.slot(slot);
      return figures === null ? noFigures : figuresIn(figures);
    },
    observe: (metric, labels, seconds) => observations.add(metric, labels, seconds),
    mayReach: (address, at) => !listeners.has(address, at),
  });
  const problems = configuration.apply(update);
  const timer = setInterval(() => {
    const taken = observations.take();
    if (taken.length > 0) report({ kind: 'observed', observations: taken });
  }, REPORT_INTERVAL);
  timer.unref();
  return {
    handle: withoutAdministration(prefix, configuration.handle),
    problems,
    update(order) {
      memory.chunks.push(...order.slots);
      return configuration.apply(order.update);
    },
    listensAt: (endpoint) => listeners.add(endpoint),
    close() {
      clearInterval(timer);
      configuration.close();
    },
  };
}

/** The administrative path is never for clients, whatever a route says. */
function withoutAdministration(prefix: string, next: Next): Next {
  const root = `/${prefix}`;
  const below = `${root}/`;
  return (exchange) => {
    const { rawPath } = exchange.request.uri;
    return rawPath === root || rawPath.startsWith(below) ? refusalResponse('no-answer') : next(exchange);
  };
}
