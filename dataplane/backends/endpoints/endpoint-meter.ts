import type { Parts } from '../../heap/definition.ts';
import { objectLabels } from '../../heap/objects/object-labels.ts';

/** Endpoints of one object that have labels of their own; addresses come and go for as long as it lives. */
const MOST_LABELS = 100;

/** Counts what one endpoint does. */
export interface EndpointCounts {
  answered(): void;
  failed(): void;
  moved(): void;
}

/** Metrics of the endpoints of one Backends. */
export class EndpointMeter {
  private readonly parts: Pick<Parts, 'name' | 'qualifiedName' | 'route' | 'plane'>;
  private readonly byLabel = new Map<string, EndpointCounts>();

  constructor(parts: Pick<Parts, 'name' | 'qualifiedName' | 'route' | 'plane'>) {
    this.parts = parts;
  }

  /** Shows how many endpoints are in a state. @returns what ends it */
  shows(state: 'serving' | 'ejected' | 'down', read: () => number): () => void {
    return this.parts.plane.gauge('gw_backends_endpoints', { ...objectLabels(this.parts), state }, read);
  }

  /** Shows how many endpoints there are, for reports to controllers. @returns what ends it */
  showsAll(read: () => number): () => void {
    return this.parts.plane.gauge('gw_backends_known_endpoints', objectLabels(this.parts), read);
  }

  /** Shows how many endpoints are not used, because the tenant has too many. @returns what ends it */
  showsLeftOut(read: () => number): () => void {
    return this.parts.plane.gauge('gw_backends_left_out_endpoints', objectLabels(this.parts), read);
  }

  /** Shows the state and the load of an endpoint, if it has labels of its own. @returns what ends it */
  showsEndpoint(key: string, state: () => number, outstanding: () => number): () => void {
    if (this.labelOf(key) !== key) return () => {};
    const { plane } = this.parts;
    const labels = { ...objectLabels(this.parts), endpoint: key };
    const ends = [
      plane.gauge('gw_backends_endpoint_state', labels, state),
      plane.gauge('gw_backends_outstanding', { ...labels, unit: String(plane.unit ?? 0) }, outstanding),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  counts(key: string): EndpointCounts {
    const endpoint = this.labelOf(key);
    const known = this.byLabel.get(endpoint);
    if (known !== undefined) return known;
    const { plane } = this.parts;
    const labels = { ...objectLabels(this.parts), endpoint };
    const made = {
      answered: plane.counter('gw_backends_requests_total', { ...labels, result: 'answered' }),
      failed: plane.counter('gw_backends_requests_total', { ...labels, result: 'failed' }),
      moved: plane.counter('gw_backends_moved_total', labels),
    };
    this.byLabel.set(endpoint, made);
    return made;
  }

  ejected(key: string): void {
    const labels = { ...objectLabels(this.parts), endpoint: this.labelOf(key) };
    this.parts.plane.count('gw_backends_ejections_total', labels);
  }

  probeFailed(key: string): void {
    const labels = { ...objectLabels(this.parts), endpoint: this.labelOf(key) };
    this.parts.plane.count('gw_backends_failed_probes_total', labels);
  }

  private labelOf(key: string): string {
    return this.byLabel.has(key) || this.byLabel.size < MOST_LABELS ? key : 'other';
  }
}
