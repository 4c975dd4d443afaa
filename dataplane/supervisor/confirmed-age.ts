import type { Logger } from 'pino';
import type { LinkFigures } from '../metrics/link-exposition.ts';

export interface ConfirmedAgeOptions {
  readonly log: Logger;
  readonly figures: Pick<LinkFigures, 'confirmed'> | undefined;
  /** In milliseconds; undefined for any age. */
  readonly most: number | undefined;
}

/** How long ago a controller confirmed what a plane serves, held against how old it may be. */
export class ConfirmedAge {
  private readonly options: ConfirmedAgeOptions;
  private wasExceeded = false;

  constructor(options: ConfirmedAgeOptions) {
    this.options = options;
  }

  /** Whether it is too old, which is logged when it begins and ends. */
  isExceeded(): boolean {
    const { log, figures, most } = this.options;
    const confirmed = figures?.confirmed ?? null;
    const isExceeded = most !== undefined && confirmed !== null && Date.now() - confirmed > most;
    if (isExceeded === this.wasExceeded) return isExceeded;
    this.wasExceeded = isExceeded;
    if (isExceeded) log.warn('no contact with a controller for too long; not ready, but still serving');
    else log.info('contact with a controller restored; ready again');
    return isExceeded;
  }
}
