import type { AccessEntry, AccessOutcome, Exchange } from '../../engine/message/exchange.ts';
import type { Response } from '../../engine/message/response.ts';
import type { Outcome, Verdict } from '../../engine/message/verdict.ts';
import { MOST_VERDICTS } from './decision-text.ts';

/** Parts of an event that come from the request, each JSON already. */
export interface RequestParts {
  readonly headers: string;
  readonly cookies: string;
  readonly query: string;
  /** Address of the client by the word of a trusted proxy; null where that of the connection is right. */
  readonly address: string | null;
  /** Scheme and authority by the word of a trusted proxy; null likewise. */
  readonly scheme: string | null;
  readonly authority: string | null;
}

/** What objects found out about a request. */
export interface Found {
  readonly verdicts: readonly Verdict[] | null;
  /** Outcome of the last verdict; null where there is none, or where the request went on after it. */
  readonly last: Outcome | null;
  readonly trackingIds: readonly string[] | null;
}

/** Writes the events of a service. */
export interface AccessWriter {
  answerHeaders(response: Response): string;
  write(
    exchange: Exchange,
    parts: RequestParts,
    answered: string,
    route: string,
    found: Found,
    outcome: AccessOutcome,
  ): void;
}

/** Record of one exchange in one service. */
export class RecordedAccess implements AccessEntry {
  private readonly recorder: AccessWriter;
  private readonly parts: RequestParts;
  /** The record of a service that records the same exchange. */
  private readonly outer: AccessEntry | null;
  private route: string;
  private answer = '';
  private verdicts: Verdict[] | null = null;
  private last: Outcome | null = null;
  private trackingIds: string[] | null = null;

  constructor(recorder: AccessWriter, parts: RequestParts, route: string, outer: AccessEntry | null) {
    this.recorder = recorder;
    this.parts = parts;
    this.route = route;
    this.outer = outer;
  }

  answered(response: Response): void {
    this.answer = this.recorder.answerHeaders(response);
    this.outer?.answered(response);
  }

  note(verdict: Verdict): void {
    const { verdicts } = this;
    this.last = verdict.outcome;
    if (verdicts === null) this.verdicts = [verdict];
    else if (verdicts.length < MOST_VERDICTS) verdicts.push(verdict);
    else verdicts[MOST_VERDICTS - 1] = verdict; // the last one decided
    this.outer?.note(verdict);
  }

  goesOn(): void {
    this.last = null;
    this.outer?.goesOn();
  }

  track(id: string): void {
    this.trackingIds ??= [];
    if (!this.trackingIds.includes(id) && this.trackingIds.length < MOST_VERDICTS) this.trackingIds.push(id);
    this.outer?.track(id);
  }

  enterRoute(part: string): void {
    this.route = part;
    this.outer?.enterRoute(part);
  }

  finished(exchange: Exchange, outcome: AccessOutcome): void {
    const { verdicts, last, trackingIds } = this;
    this.recorder.write(exchange, this.parts, this.answer, this.route, { verdicts, last, trackingIds }, outcome);
    this.outer?.finished(exchange, outcome);
  }
}
