import type { UnitOrder, UnitReport } from './unit-messages.ts';

/** A unit that runs, in a thread of its own or in that of its supervisor. */
export interface RunningUnit {
  readonly hasOwnThread: boolean;
  tell(order: UnitOrder): void;
  /** Ends it at once. Resolves when it is gone. */
  end(): Promise<void>;
}

/** What becomes of a unit. None is called before the unit was returned. */
export interface UnitEvents {
  reported(report: UnitReport): void;
  /** An error that it did not handle ended it. */
  failed(error: Error): void;
  gone(): void;
}
