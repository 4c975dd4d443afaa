import type { DryRun } from '../../contract/shown/dry-run.ts';
import type { RequestDescription } from '../dry-run/described-exchange.ts';
import type { UnitReport } from '../unit/unit-messages.ts';
import type { SupervisedUnit } from './supervised-units.ts';

interface Waiting {
  readonly unit: SupervisedUnit;
  resolve(result: DryRun): void;
  reject(error: Error): void;
}

/** Dry runs that units were asked for. */
export class DryRuns {
  private readonly units: () => readonly SupervisedUnit[];
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(units: () => readonly SupervisedUnit[]) {
    this.units = units;
  }

  /** Asks a unit that serves. Rejects when there is none, or when it ends before it answers. */
  run(request: RequestDescription): Promise<DryRun> {
    const unit = this.units().find(({ serving }) => serving);
    if (unit === undefined) return Promise.reject(new Error('no gateway unit serves'));
    const number = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(number, { unit, resolve, reject });
      unit.tell({ kind: 'dry-run', number, request });
    });
  }

  heard({ number, result }: Extract<UnitReport, { kind: 'dry-run' }>): void {
    const waiting = this.waiting.get(number);
    this.waiting.delete(number);
    if (typeof result === 'string') waiting?.reject(new Error(result));
    else waiting?.resolve(result);
  }

  /** A unit is gone, and answers nothing any more. */
  lost(unit: SupervisedUnit): void {
    for (const [number, waiting] of this.waiting) {
      if (waiting.unit !== unit) continue;
      this.waiting.delete(number);
      waiting.reject(new Error('the gateway unit ended during the dry run'));
    }
  }
}
