import type { Compilation } from '../compile/compiler.ts';
import type { ControllerMetricsSource } from '../metrics/controller-metrics.ts';
import type { PlaneLedger } from '../publish/plane-ledger.ts';
import { planeState } from '../publish/plane-state.ts';
import type { PlaneSessions } from '../publish/sessions/plane-sessions.ts';
import type { ClusterSource } from './cluster-source.ts';

/** Parts of a controller that its metrics show. */
export interface MetricsParts {
  readonly ledger: PlaneLedger;
  readonly sessions: PlaneSessions;
  readonly source: ClusterSource;
  isLeader(): boolean;
  newest(): Compilation | null;
}

/** Reads the metrics of a controller from its parts. */
export function metricsSource({ ledger, sessions, source, isLeader, newest }: MetricsParts): ControllerMetricsSource {
  return {
    isLeader,
    revision: () => newest()?.snapshot?.revision ?? null,
    planeStates: () =>
      ledger.planes.map((facts) =>
        planeState(facts, ledger.isConnected(facts.identity.id), sessions.revisionFor(facts.identity)),
      ),
    streams: () => sessions.facts.length,
    reflectors: () => source.facts,
    routesWithEndpointsLeftOut: () =>
      (newest()?.resources?.verdicts ?? []).filter(({ resolvedRefs }) => resolvedRefs.reason === 'EndpointsLeftOut')
        .length,
    certificates: () => (newest()?.resources?.verdicts ?? []).flatMap(({ certificates }) => certificates ?? []),
    now: () => Date.now(),
  };
}
