import { Counter, Gauge, type Registry } from 'prom-client';

/** Source of the metrics of the link to a controller, read at each scrape. */
export interface LinkFigures {
  readonly connected: boolean;
  readonly reconnects: number;
  /** What runs; null before the first accepted snapshot. */
  readonly revision: string | null;
  /** When a controller last stood by what runs, in milliseconds since 1970; null before the first. */
  readonly confirmed: number | null;
  /** Updates by what came of them. */
  readonly updates: { readonly taken: number; readonly refused: number };
}

/** Adds the metrics that tell whether a plane runs what its controller knows. */
export function registerLinkMetrics(registry: Registry, figures: LinkFigures): void {
  const registers = [registry];
  new Gauge({
    name: 'gw_link_connected',
    help: 'Whether a controller is connected: 1 or 0.',
    registers,
    collect() {
      this.set(figures.connected ? 1 : 0);
    },
  });
  new Counter({
    name: 'gw_link_reconnects_total',
    help: 'Streams to controllers that took the place of another one.',
    registers,
    collect() {
      this.reset();
      this.inc(figures.reconnects);
    },
  });
  new Counter({
    name: 'gw_link_updates_total',
    help: 'Updates that controllers sent, by whether they were taken or refused.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'taken' }, figures.updates.taken);
      this.inc({ result: 'refused' }, figures.updates.refused);
    },
  });
  new Gauge({
    name: 'gw_snapshot_age_seconds',
    help: 'Time since a controller last stood by what is served: 0 while one is connected.',
    registers,
    collect() {
      this.reset();
      if (figures.confirmed !== null) this.set(Math.max(0, Date.now() - figures.confirmed) / 1000);
    },
  });
  new Gauge({
    name: 'gw_revision_info',
    help: 'The revision that is served, as a label; always 1.',
    labelNames: ['revision'],
    registers,
    collect() {
      this.reset();
      if (figures.revision !== null) this.set({ revision: figures.revision }, 1);
    },
  });
}
