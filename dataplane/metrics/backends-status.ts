import type { Observation } from '../unit/unit-messages.ts';
import type { GaugeValue } from './gauges.ts';

/** Metrics of single endpoints, from which their state is put together. */
export const ENDPOINT_STATE = 'gw_backends_endpoint_state';
export const ENDPOINT_OUTSTANDING = 'gw_backends_outstanding';

/** States of an endpoint by their values in the metric, the worst last. */
export const ENDPOINT_STATES = ['serving', 'ejected', 'down'] as const;

/** One endpoint as a data plane sees it. */
interface EndpointStatus {
  readonly endpoint: string;
  state: (typeof ENDPOINT_STATES)[number];
  /** Requests and tunnels that are open to it, in all units. */
  outstanding: number;
  ejections: number;
  failedProbes: number;
  requests: { answered: number; failed: number };
}

/** One Backends as a data plane sees it. */
export interface BackendsStatus {
  readonly name: string;
  /** Id of its route; empty outside of routes. */
  readonly route: string;
  readonly router: string;
  readonly endpoints: readonly EndpointStatus[];
}

/** Puts the state of all Backends together from their metrics. Endpoints that have gone are not part of it. */
export function backendsStatus(
  gauges: readonly GaugeValue[],
  observations: readonly Observation[],
): readonly BackendsStatus[] {
  const objects = new Map<
    string,
    { readonly status: BackendsStatus; readonly endpoints: Map<string, EndpointStatus> }
  >();

  for (const { metric, labels, value } of gauges) {
    if (metric !== ENDPOINT_STATE) continue;
    const { fully_qualified_name: id = '', name = '', route = '', router = '', endpoint = '' } = labels;
    const object = objects.get(id) ?? { status: { name, route, router, endpoints: [] }, endpoints: new Map() };
    objects.set(id, object);
    object.endpoints.set(endpoint, {
      endpoint,
      state: ENDPOINT_STATES[value] ?? 'down',
      outstanding: 0,
      ejections: 0,
      failedProbes: 0,
      requests: { answered: 0, failed: 0 },
    });
  }
  for (const { metric, labels, value } of gauges) {
    const found = metric === ENDPOINT_OUTSTANDING ? find(labels) : undefined;
    if (found !== undefined) found.outstanding += value;
  }
  for (const { metric, labels, count } of observations) {
    const found = metric.startsWith('gw_backends_') ? find(labels) : undefined;
    if (found === undefined) continue;
    if (metric === 'gw_backends_ejections_total') found.ejections += count;
    else if (metric === 'gw_backends_failed_probes_total') found.failedProbes += count;
    else if (metric === 'gw_backends_requests_total') found.requests[resultOf(labels)] += count;
  }
  return [...objects.values()].map(({ status, endpoints }) => ({ ...status, endpoints: [...endpoints.values()] }));

  function find(labels: Readonly<Record<string, string>>): EndpointStatus | undefined {
    return objects.get(labels['fully_qualified_name'] ?? '')?.endpoints.get(labels['endpoint'] ?? '');
  }
}

function resultOf(labels: Readonly<Record<string, string>>): 'answered' | 'failed' {
  return labels['result'] === 'answered' ? 'answered' : 'failed';
}
