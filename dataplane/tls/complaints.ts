import type { Logger } from 'pino';

/** Tells the log what is wrong once, and again when something else is: what is wrong is found anew every second. */
export class Complaints {
  private readonly log: Logger;
  private readonly told = new Map<string, string>();

  constructor(log: Logger) {
    this.log = log;
  }

  /** `place` is what the complaint is about. */
  tell(place: string, error: unknown, message: string): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (this.told.get(place) === reason) return;
    this.told.set(place, reason);
    this.log.error({ reason }, message);
  }

  settled(place: string): void {
    this.told.delete(place);
  }
}
