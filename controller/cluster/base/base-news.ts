import type { Logger } from 'pino';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { Compilation } from '../../compile/compiler.ts';
import type { EventSubject } from '../status/event-recorder.ts';
import type { StateChange } from '../status/status-transitions.ts';
import { type BaseProblems, baseProblems, noBaseProblems } from './base-problems.ts';

export interface BaseNewsOptions {
  readonly log: Logger;
  /** The ConfigMap of the base configuration. */
  readonly base: { readonly namespace: string; readonly name: string };
  /** Of several controllers one writes Events. */
  isLeader(): boolean;
  record(subject: EventSubject, change: StateChange): void;
}

/** Reports to operators and tenants whether the newest base configuration serves. */
export class BaseNews {
  private readonly options: BaseNewsOptions;
  private problems: BaseProblems = noBaseProblems;
  private source: SourceVersion | null = null;
  private hasSnapshot = false;
  /** The errors that an Event was written about last, or that another leader may have written about. */
  private recorded = '';

  constructor(options: BaseNewsOptions) {
    this.options = options;
  }

  /** Why the base configuration that was written is not used. */
  get errors(): readonly string[] {
    return this.problems.errors;
  }

  /** What the conditions of resources say of it; null when the newest base configuration serves. */
  get note(): string | null {
    if (this.errors.length === 0 || !this.hasSnapshot) return null;
    return `${this.problems.files.join(' and ')} of the base configuration ${this.verb} not valid; the last good version stays in effect`;
  }

  /** Hears of the newest compilation. */
  compiled(compilation: Pick<Compilation, 'verdicts' | 'resources' | 'snapshot'>, source: SourceVersion | null): void {
    const before = this.problems.all.join('\n');
    this.problems = baseProblems(compilation);
    this.source = source;
    this.hasSnapshot = compilation.snapshot !== null;
    const problems = this.problems.all.join('\n');
    if (problems !== before && problems !== '') {
      const message =
        this.errors.length === 0
          ? 'base configuration has warnings'
          : `base configuration is not valid; ${this.serving}`;
      this.options.log.warn({ problems }, message);
    }
    this.tell();
  }

  /** Writes the Event that is due, if this controller leads: to be called when the leader changes. */
  tell(): void {
    const errors = this.errors.join('\n');
    if (!this.options.isLeader()) {
      if (errors !== '') this.recorded = 'by another leader';
      return;
    }
    if (errors === this.recorded) return;
    this.recorded = errors;
    const { namespace, name } = this.options.base;
    const subject = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, ...this.source };
    this.options.record(
      subject,
      errors === ''
        ? { type: 'Normal', reason: 'BaseConfigurationAccepted', note: 'the newest base configuration is in effect' }
        : { type: 'Warning', reason: 'BaseConfigurationInvalid', note: `${this.serving}\n${errors}` },
    );
  }

  private get serving(): string {
    return this.hasSnapshot
      ? 'the last good version stays in effect'
      : 'there is no last good version, so nothing is published';
  }

  private get verb(): string {
    return this.problems.files.length === 1 ? 'is' : 'are';
  }
}
