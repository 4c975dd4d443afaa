import { nextTurn } from '../support/clients/event-loop.ts';
import { takeEngineFaults, watchEngine } from './engine-faults.ts';
import { type Finding, minimise } from './minimise.ts';
import { Random } from './random.ts';
import type { Complaint, Lane, Subject } from './subject.ts';

/** How long the loop may be kept by cases that need no sockets. */
const SLICE = 50;
const MINIMISING = 40_000;

/** A finding with what is needed to make it again. */
export interface Discovery<Case> extends Finding<Case> {
  readonly subject: string;
  readonly seed: number;
  readonly index: number;
  /** Whether the case alone, in fresh surroundings, showed it again. */
  readonly reproduced: boolean;
}

/** Cases of one subject, in the order of their numbers, on as many lanes as it has. */
export class Campaign<Case> {
  cases = 0;
  milliseconds = 0;
  readonly subject: Subject<Case>;
  private readonly seed: number;
  private lanes: Lane<Case>[] | null = null;
  private running = new Map<Lane<Case>, { input: Case; index: number }>();
  private found: (Finding<Case> & { index: number })[] = [];

  constructor(subject: Subject<Case>, seed: number) {
    this.subject = subject;
    this.seed = seed;
  }

  /** Goes on until `more` says no or something is found. */
  async run(more: () => boolean): Promise<Discovery<Case> | null> {
    watchEngine();
    this.lanes ??= await Promise.all(Array.from({ length: this.subject.lanes }, () => this.subject.open()));
    const start = performance.now();
    await Promise.all(this.lanes.map((lane) => this.runLane(lane, () => this.found.length === 0 && more())));
    this.milliseconds += performance.now() - start;
    return this.found.length === 0 ? null : this.confirm();
  }

  private async runLane(lane: Lane<Case>, more: () => boolean): Promise<void> {
    let yieldAt = performance.now() + SLICE;
    while (more()) {
      const index = this.cases++;
      const input = this.subject.make(Random.of(this.seed, this.subject.name, index));
      this.running.set(lane, { input, index });
      const checked = lane.check(input);
      const complaint = checked instanceof Promise ? await checked : checked;
      if (complaint !== null) this.found.push({ input, index, complaint });
      if (performance.now() < yieldAt) continue;
      await nextTurn();
      yieldAt = performance.now() + SLICE;
    }
  }

  /** Shows the finding once more and makes it small; a fault may belong to any case that ran at the time. */
  private async confirm(): Promise<Discovery<Case>> {
    const first = this.found[0]!;
    const lane = await this.subject.open();
    const suspects = [first, ...this.running.values()].map(({ input, index }) => ({ input, index }));
    let discovery: Discovery<Case> | null = null;
    for (const { input, index } of suspects) {
      takeEngineFaults();
      const complaint: Complaint | null = await lane.check(input);
      if (complaint?.kind !== first.complaint.kind) continue;
      const smallest = await minimise(this.subject, lane, { input, complaint }, MINIMISING);
      discovery = { ...smallest, index, subject: this.subject.name, seed: this.seed, reproduced: true };
      break;
    }
    await lane.close();
    return discovery ?? { ...first, subject: this.subject.name, seed: this.seed, reproduced: false };
  }

  async close(): Promise<void> {
    for (const lane of this.lanes ?? []) await lane.close();
    this.lanes = null;
  }
}
