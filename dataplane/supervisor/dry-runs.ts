import type { DryRun } from '../../contract/shown/dry-run.ts';
import type { RequestDescription } from '../dry-run/described-exchange.ts';
import type { UnitReport } from '../unit/unit-messages.ts';
import type { SupervisedUnit } from './supervised-units.ts';

type AskedUnit = Pick<SupervisedUnit, 'serving' | 'tell'>;

interface Waiting {
  readonly unit: AskedUnit;
  resolve(result: DryRun): void;
  reject(error: Error): void;
}

/** Dry runs at once: a unit builds filters for each of them while its clients wait. */
const MOST = 16;

/** Dry runs that units were asked for. */
export class DryRuns {
  private readonly units: () => readonly AskedUnit[];
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(units: () => readonly AskedUnit[]) {
    this.units = units;
  }

  /** Asks a unit that serves. Rejects when there is none, when many run already, or when it ends before it answers. */
  run(request: RequestDescription, shownRoute: string | null = null): Promise<DryRun> {
    const unit = this.units().find(({ serving }) => serving);
    if (unit === undefined) return Promise.reject(new Error('no gateway unit serves'));
    if (this.waiting.size >= MOST)
      return Promise.reject(new Error(`${MOST} dry runs are in progress, try again later`));
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { unit, resolve, reject });
      unit.tell({ kind: 'dry-run', number, request, shownRoute });
    });
  }

  heard({ number, result }: Extract<UnitReport, { kind: 'dry-run' }>): void {
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    if (typeof result === 'string') waiting?.reject(new Error(result));
    else waiting?.resolve(result);
  }

  /** A unit is gone, and answers nothing any more. */
  lost(unit: AskedUnit): void {
    for (const [number, waiting] of this.waiting) {
      if (waiting.unit !== unit) continue;
      this.waiting.delete(number);
      waiting.reject(new Error('the gateway unit ended during the dry run'));
    }
  }
}
