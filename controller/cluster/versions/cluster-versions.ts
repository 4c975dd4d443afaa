import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { ClusterControllerOptions } from '../cluster-controller-options.ts';
import type { ClusterSource } from '../cluster-source.ts';
import { VersionRecorder } from './version-recorder.ts';

export interface ClusterVersionsParts
  extends Pick<ClusterControllerOptions, 'api' | 'log' | 'namespaces' | 'routeVersions'> {
  /** For how many milliseconds more this controller leads; 0 when it does not. */
  leadsFor(): number;
  source(): Pick<ClusterSource, 'resource'>;
}

/** Returns the keeper of versions of a controller; null where none are kept. */
export function clusterVersions({
  api,
  log,
  namespaces,
  routeVersions: most,
  leadsFor,
  source,
}: ClusterVersionsParts): VersionRecorder | null {
  if (most === 0) return null;
  const failures = new PacedWarning(log, 'versions of Routes cannot be read or written, retrying', { most: 1 });
  const isList = typeof namespaces !== 'string' && !('labelSelector' in namespaces);
  return new VersionRecorder({
    ...{ api, most, leadsFor },
    namespaces: isList ? [...new Set(namespaces)] : null,
    route: ({ namespace, name }) => source().resource('Route', namespace, name),
    failed: (error) => failures.give({ error }),
  });
}
