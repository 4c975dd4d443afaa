import { Counter, Gauge, type Registry } from 'prom-client';

/** Source of the metrics of the link to a controller, read at each scrape. */
export interface LinkFigures {
  readonly connected: boolean;
  readonly reconnects: number;
  /** Revision in effect; null before the first accepted snapshot. */
  readonly revision: string | null;
  /** Last contact with a controller, in milliseconds since 1970; null before the first. */
  readonly confirmed: number | null;
  /** Updates by result. */
  readonly updates: { readonly taken: number; readonly refused: number };
}

/** Adds the metrics of the connection to a controller and of the revision in effect. */
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
    help: 'Streams to controllers opened after an earlier one ended.',
    registers,
    collect() {
      this.reset();
      this.inc(figures.reconnects);
    },
  });
  new Counter({
    name: 'gw_link_updates_total',
    help: 'Updates received from controllers, by result: taken or refused.',
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
    help: 'Time since the last contact with a controller, in seconds; 0 while one is connected.',
    registers,
    collect() {
      this.reset();
      if (figures.confirmed !== null) this.set(Math.max(0, Date.now() - figures.confirmed) / 1000);
    },
  });
  new Gauge({
    name: 'gw_revision_info',
    help: 'Revision in effect, as a label; always 1.',
    labelNames: ['revision'],
    registers,
    collect() {
      this.reset();
      if (figures.revision !== null) this.set({ revision: figures.revision }, 1);
    },
  });
}
