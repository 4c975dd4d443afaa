import { Counter, Gauge, type Registry } from 'prom-client';

/** States of the routes of a configuration. */
export const routeStates = ['serving', 'last-good', 'refusing', 'not-loaded'] as const;
export type RouteState = (typeof routeStates)[number];

/** Source of the metrics of a configuration, read at each scrape. */
export interface ConfigurationFigures {
  readonly routes: Readonly<Record<RouteState, number>>;
  /** When what is served was last changed, in milliseconds since 1970. */
  readonly lastReload: number;
  /** Changes of files that were noticed, by whether anything was wrong afterwards. */
  readonly reloads: { readonly ok: number; readonly problems: number };
}

/** Adds the metrics that tell whether what is served is what was written. */
export function registerConfigurationMetrics(registry: Registry, figures: ConfigurationFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'gatewarden_config_routes',
    help: 'Route files by what serves: this version, the last good one, a refusal, or nothing.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of routeStates) this.set({ state }, figures.routes[state]);
    },
  });
  new Gauge({
    name: 'gatewarden_config_last_reload_timestamp_seconds',
    help: 'When what is served was last changed.',
    registers,
    collect() {
      this.set(figures.lastReload / 1000);
    },
  });
  new Counter({
    name: 'gatewarden_config_reloads_total',
    help: 'Changes of files that were noticed, by whether any error was left in the configuration.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'ok' }, figures.reloads.ok);
      this.inc({ result: 'problems' }, figures.reloads.problems);
    },
  });
}
