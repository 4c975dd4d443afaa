import type { Parts } from '../../heap/definition.ts';
import { objectLabels } from '../../heap/objects/object-labels.ts';

/** Reasons why a request has no copy. */
export type DropReason =
  | 'body-streamed'
  | 'body-too-large'
  | 'closed'
  | 'incomplete'
  | 'internal'
  | 'memory'
  | 'queue-full'
  | 'timeout'
  | 'upgrade';

/** Metrics of one MirrorFilter. */
export class MirrorMeter {
  /** A copy was given to the handler. */
  readonly sent: () => void;
  /** A copy got no response from the application, or not all of it in time. */
  readonly failed: () => void;
  private readonly parts: Pick<Parts, 'name' | 'qualifiedName' | 'route' | 'plane'>;

  constructor(parts: Pick<Parts, 'name' | 'qualifiedName' | 'route' | 'plane'>) {
    this.parts = parts;
    this.sent = parts.plane.counter('gw_mirror_sent_total', objectLabels(parts));
    this.failed = parts.plane.counter('gw_mirror_failed_total', objectLabels(parts));
  }

  /** A copy was not sent. */
  dropped(reason: DropReason): void {
    this.parts.plane.count('gw_mirror_dropped_total', { ...objectLabels(this.parts), reason });
  }
}
