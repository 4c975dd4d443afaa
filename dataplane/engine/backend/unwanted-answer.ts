import type { Body, BodySink } from '../message/body.ts';
import type { Response } from '../message/response.ts';
import { clock } from '../wire/clock.ts';
import { type Swept, unwatch, watch } from '../wire/sweep.ts';

/**
 * Reads an answer that nobody wants, so that its connection can be used again. It has `patience` milliseconds for all of
 * it, or any time if that is 0: some answers have no end, and whoever asks for them and leaves must not hold connections.
 */
export function readForNobody(response: Response, patience: number): void {
  response.upgraded?.abandon();
  const body = response.incomingBody;
  if (body === null) return;
  const unwanted = new UnwantedBody(body, clock.now + patience);
  body.pipe(unwanted);
  if (patience > 0 && !unwanted.over) watch(unwanted);
}

class UnwantedBody implements BodySink, Swept {
  deadline: number;
  slot = -1;
  over = false;
  private readonly body: Body;

  constructor(body: Body, deadline: number) {
    this.body = body;
    this.deadline = deadline;
  }

  bodyData(): void {
    // nobody wants it
  }

  bodyEnd(): void {
    this.over = true;
    unwatch(this);
  }

  bodyFailed(): void {
    this.bodyEnd();
  }

  overdue(): void {
    this.bodyEnd();
    this.body.abandon();
  }
}
