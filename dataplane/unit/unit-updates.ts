import { errorText } from '../../platform/error-text.ts';
import type { BuildProblem } from '../routes/configuration.ts';
import type { UnitOrder, UnitReport } from './unit-messages.ts';
import type { UnitTraffic } from './unit-traffic.ts';

type UpdateOrder = Extract<UnitOrder, { kind: 'update' }>;

/** Applies updates in their order. One that needs code that is not loaded holds up those behind it. */
export class UnitUpdates {
  readonly #traffic: Pick<UnitTraffic, 'prepare' | 'update'>;
  readonly #report: (message: UnitReport) => void;
  readonly #fault: (error: unknown) => void;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(
    traffic: Pick<UnitTraffic, 'prepare' | 'update'>,
    { report, fault }: { readonly report: (message: UnitReport) => void; readonly fault: (error: unknown) => void },
  ) {
    this.#traffic = traffic;
    this.#report = report;
    this.#fault = fault;
  }

  /** Resolves when no update waits. */
  get settled(): Promise<void> {
    return this.#last;
  }

  add(order: UpdateOrder): void {
    const loading = this.#traffic.prepare(order);
    if (loading === null && this.#waiting === 0) {
      this.#apply(order);
      return;
    }
    this.#waiting++;
    const before = this.#last;
    this.#last = this.#applyAfter(before, loading, order);
  }

  async #applyAfter(before: Promise<void>, loading: Promise<void> | null, order: UpdateOrder): Promise<void> {
    const [, loaded] = await Promise.allSettled([before, loading]);
    this.#waiting--;
    if (loaded.status === 'rejected') this.#failed(order, loaded.reason);
    else this.#apply(order);
  }

  #apply(order: UpdateOrder): void {
    try {
      this.#report({ kind: 'applied', order: order.order, problems: this.#traffic.update(order) });
    } catch (error) {
      this.#failed(order, error);
    }
  }

  /** The configuration before it goes on serving. */
  #failed(order: UpdateOrder, error: unknown): void {
    this.#fault(error);
    const problem = { code: 'build', severity: 'error', path: [], message: errorText(error) } as const;
    const unbuilt: BuildProblem = { route: null, problems: [problem], keepsServing: true };
    this.#report({ kind: 'applied', order: order.order, problems: [unbuilt] });
  }
}
