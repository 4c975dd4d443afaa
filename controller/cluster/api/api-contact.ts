import { type Clock, systemClock } from '../../../platform/clock.ts';

export interface ApiContactOptions {
  /** When the API server answered last, in milliseconds of the steady clock. */
  answeredAt(): number;
  /** Hears that it has not answered for so long that others may know more, and that it does again. */
  changed(isLost: boolean): void;
  readonly clock?: Clock;
}

/** Controllers ask for the Lease every few seconds: without an answer for so long, they ask in vain. */
const PATIENCE = 60_000;
const INTERVAL = 5_000;

/** Notices when this controller has lost the API server, which does not mean that others have. */
export class ApiContact {
  private readonly options: ApiContactOptions;
  private readonly clock: Clock;
  private isLost = false;
  private callOff: () => void = () => undefined;

  constructor(options: ApiContactOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  start(): void {
    this.callOff = this.clock.after(INTERVAL, () => {
      this.look();
      this.start();
    });
  }

  close(): void {
    this.callOff();
  }

  private look(): void {
    const isLost = this.clock.steady() - this.options.answeredAt() > PATIENCE;
    if (isLost === this.isLost) return;
    this.isLost = isLost;
    this.options.changed(isLost);
  }
}
