import type { BackendsSummary } from '../../contract/channel.ts';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { PlaneState } from '../publish/plane-state.ts';

/** Part of a configuration that a data plane could not build. */
export interface ShownPlaneProblem {
  /** Null for the base configuration. */
  readonly router: string | null;
  readonly route: string;
  readonly message: string;
  /** True if the version before keeps serving. */
  readonly keepsServing: boolean;
}

/** State of a data plane, as Common REST shows it for one instance and for a cluster. Null means unknown, or none. */
export interface ShownPlane {
  readonly name: string;
  readonly namespace: string | null;
  readonly group: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly isSidecar: boolean;
  /** Name of the controller that has its stream. */
  readonly controller: string | null;
  readonly state: PlaneState;
  readonly isCurrent: boolean;
  readonly version: string | null;
  readonly revision: string | null;
  readonly ready: boolean | null;
  /** RFC 3339. */
  readonly connectedSince: string | null;
  /** Milliseconds since a controller last confirmed the configuration that it serves. */
  readonly snapshotAge: number | null;
  /** Milliseconds that an update has waited to run. */
  readonly lag: number | null;
  readonly units: number | null;
  readonly unitsServing: number | null;
  /** Resident memory in bytes. */
  readonly memory: number | null;
  readonly routes: number;
  /** Milliseconds that its clock is ahead. */
  readonly clockAhead: number | null;
  readonly problems: readonly ShownPlaneProblem[];
  readonly problemCount: number;
  /** Backends with the counts of their endpoints. */
  readonly backends: readonly BackendsSummary[];
}

/** Returns a data plane as a resource, whose revision is that of the configuration that it runs. */
export function planeResource(id: string, shown: ShownPlane, more: object = {}): Resource & { readonly id: string } {
  return { id, revision: shown.revision, content: { ...shown, ...more } as unknown as JsonObject };
}

const TEXT = { type: ['string', 'null'] };
const NUMBER = { type: ['integer', 'null'] };

/** Description of data planes in the descriptors of the API. */
export const PLANE_DESCRIPTION: EndpointDescription = {
  name: 'plane',
  title: 'Data planes',
  description: 'Data planes, the revision of the configuration that each runs, and the routes that it cannot build.',
  hasRevisions: true,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        ...{ name: { type: 'string' }, namespace: TEXT, group: TEXT },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
        ...{ isSidecar: { type: 'boolean' }, controller: TEXT },
        state: { type: 'string', enum: ['current', 'behind', 'refused', 'left'] satisfies PlaneState[] },
        ...{ isCurrent: { type: 'boolean' }, version: TEXT, revision: TEXT, ready: { type: ['boolean', 'null'] } },
        connectedSince: { type: ['string', 'null'], format: 'date-time' },
        ...{ snapshotAge: NUMBER, lag: NUMBER, units: NUMBER, unitsServing: NUMBER, memory: NUMBER },
        ...{ routes: { type: 'integer' }, clockAhead: NUMBER },
        problems: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ...{ router: TEXT, route: { type: 'string' }, message: { type: 'string' } },
              keepsServing: { type: 'boolean' },
            },
          },
        },
        problemCount: { type: 'integer' },
        backends: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              ...{ router: { type: 'string' }, route: { type: 'string' }, name: { type: 'string' } },
              ...{ total: { type: 'integer' }, ejected: { type: 'integer' }, down: { type: 'integer' } },
            },
          },
        },
      },
    },
  }),
};
