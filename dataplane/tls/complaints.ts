import type { Logger } from 'pino';
import { errorText } from '../../platform/error-text.ts';

/** Logs a problem once, and again when it changes, because it is detected again every second. */
export class Complaints {
  private readonly log: Logger;
  private readonly told = new Map<string, string>();
  private readonly heard: (isNew: boolean, areThere: boolean) => void;

  /** @param told hears of each, and of whether there are any. */
  constructor(log: Logger, told: (isNew: boolean, areThere: boolean) => void = () => {}) {
    this.log = log;
    this.heard = told;
  }

  /** `place` is what the complaint is about. */
  tell(place: string, error: unknown, message: string): void {
    const reason = errorText(error);
    if (this.told.get(place) === reason) return;
    this.told.set(place, reason);
    this.log.error({ reason }, message);
    this.heard(true, true);
  }

  settled(place: string): void {
    if (this.told.delete(place)) this.heard(false, this.told.size > 0);
  }
}
