import { CrestError } from '../../../contract/crest/crest-error.ts';
import type { CollectionProvider, CrestEndpoint } from '../../../contract/crest/provider.ts';
import type { CrestNode, CrestTree } from '../../../platform/admin/crest-path.ts';

/** Endpoints of a controller by the first step of their paths. */
export type ClusterEndpoints = Readonly<Record<string, CrestEndpoint>> & { readonly routes: CrestEndpoint };

const FOLDER: CrestNode = { kind: 'folder' };
/** Path of the Routes in OpenIG: they are in the main router. */
const ROUTES = ['system', 'objects', '_router', 'routes'];

/** Audit events are with the handlers of data planes. A controller has neither the network nor the credentials for them. */
const AUDIT: CrestNode = { kind: 'collection', provider: refusing() };

/**
 * Returns the endpoints of a controller as a tree.
 *
 * @param versionsOf returns the versions of the Route with an id; null if none are kept
 */
export function clusterTree(
  endpoints: ClusterEndpoints,
  version: string,
  versionsOf: (id: string) => CrestEndpoint | null,
): CrestTree {
  const single = new Map(Object.entries(endpoints));
  return {
    facts: { title: 'Gatewarden', version, isBearer: true },
    list: () => [
      ...Array.from(single, ([name, endpoint]) => ({ steps: [name], endpoint })),
      { steps: ROUTES, endpoint: endpoints.routes },
    ],
    find(steps) {
      const [first] = steps;
      if (first === undefined) return { node: FOLDER, depth: 0 };
      const start = first === 'routes' ? 1 : ROUTES.every((step, at) => step === steps[at]) ? ROUTES.length : null;
      const id = start === null || steps[start + 1] !== 'versions' ? undefined : steps[start];
      if (start !== null && id !== undefined) {
        const versions = versionsOf(id);
        return versions === null ? null : { node: versions, depth: start + 2 };
      }
      const node = single.get(first);
      if (node !== undefined) return { node, depth: 1 };
      if (first === 'audit') return { node: AUDIT, depth: Math.min(2, steps.length) };
      if (steps.slice(0, ROUTES.length).some((step, at) => step !== ROUTES[at])) return null;
      if (steps.length < ROUTES.length) return { node: FOLDER, depth: steps.length };
      return { node: endpoints.routes, depth: ROUTES.length };
    },
  };
}

function refusing(): CollectionProvider {
  const refuse = async (): Promise<never> => {
    throw new CrestError(
      501,
      'controllers do not answer queries for audit events, which the handlers of data planes deliver: query the ' +
        'database or service that the AuditService writes to',
    );
  };
  return { create: refuse, read: refuse, update: refuse, delete: refuse, patch: refuse, act: refuse, query: refuse };
}
