import { Counter, Gauge, type Registry } from 'prom-client';

/** States of the routes of a configuration. */
export const routeStates = ['serving', 'last-good', 'refusing', 'not-loaded'] as const;
export type RouteState = (typeof routeStates)[number];

/** Source of the metrics of a configuration, read at each scrape. */
export interface ConfigurationFigures {
  readonly routes: Readonly<Record<RouteState, number>>;
  /** Time of the last change of the configuration in effect, in milliseconds since 1970. */
  readonly lastReload: number;
  /** Reloads after file changes, by whether the configuration had errors afterwards. */
  readonly reloads: { readonly ok: number; readonly problems: number };
}

/** Adds the metrics of the configuration in effect and of its reloads. */
export function registerConfigurationMetrics(registry: Registry, figures: ConfigurationFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'gatewarden_config_routes',
    help: 'Route files by state: serving, last-good (the previous version serves), refusing (requests get 500) or not-loaded.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of routeStates) this.set({ state }, figures.routes[state]);
    },
  });
  new Gauge({
    name: 'gatewarden_config_last_reload_timestamp_seconds',
    help: 'Time of the last change of the configuration in effect, in seconds since 1970.',
    registers,
    collect() {
      this.set(figures.lastReload / 1000);
    },
  });
  new Counter({
    name: 'gatewarden_config_reloads_total',
    help: 'Reloads after file changes, by result: ok, or problems if the configuration has errors.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'ok' }, figures.reloads.ok);
      this.inc({ result: 'problems' }, figures.reloads.problems);
    },
  });
}
