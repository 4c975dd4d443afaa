import { RequestReaderSubject } from './request-reader-subject.ts';
import { RequestWireSubject } from './request-wire-subject.ts';
import { ResponseReaderSubject } from './response-reader-subject.ts';
import { ResponseWireSubject } from './response-wire-subject.ts';
import type { Subject } from './subject.ts';
import { TargetSubject } from './target-subject.ts';

export interface Shared {
  readonly subject: Subject<unknown>;
  readonly share: number;
}

/** Everything that is fuzzed, each with its share of the time. */
export function subjects(): Shared[] {
  return [
    shared(new TargetSubject(), 1),
    shared(new RequestReaderSubject(), 6),
    shared(new ResponseReaderSubject(), 4),
    shared(new RequestWireSubject(), 11),
    shared(new ResponseWireSubject(), 8),
  ];
}

/** A subject is only ever given cases that it made itself, so their type need not be known outside. */
function shared<Case>(subject: Subject<Case>, share: number): Shared {
  return { subject: subject as unknown as Subject<unknown>, share };
}
