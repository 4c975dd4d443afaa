import type { JSX } from 'preact';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { listOf, objectOf } from '../../../contract/document/lenient-parts.ts';
import type { OpenResource } from '../../client/watched.ts';
import { Badge } from '../../parts/state-badge.tsx';

/** An endpoint of a Backends object, as a data plane sees it. */
export interface Endpoint {
  readonly plane: string;
  readonly backends: string;
  /** Id of the route; empty for `config.json`. */
  readonly route: string;
  readonly router: string;
  readonly endpoint: string;
  readonly state: string;
  readonly outstanding: number;
  readonly answered: number;
  readonly failed: number;
  readonly ejections: number;
}

/** Returns the endpoints of all Backends objects of a data plane. */
export function endpointsOf(plane: OpenResource): readonly Endpoint[] {
  return listOf(plane['backends']).flatMap((one) => {
    const backends = objectOf(one);
    return listOf(backends['endpoints']).map((member) => {
      const values = objectOf(member);
      const requests = objectOf(values['requests']);
      return {
        plane: plane._id,
        backends: textIn(backends['name']),
        route: textIn(backends['route']),
        router: textIn(backends['router']),
        endpoint: textIn(values['endpoint']),
        state: textIn(values['state']),
        outstanding: numberIn(values['outstanding']),
        answered: numberIn(requests['answered']),
        failed: numberIn(requests['failed']),
        ejections: numberIn(values['ejections']),
      };
    });
  });
}

/** State of an endpoint as a word with a sign. */
export function EndpointState({ state }: { readonly state: string }): JSX.Element {
  if (state === 'serving') return <Badge word="Serving" tone="good" />;
  return state === 'ejected' ? <Badge word="Ejected" tone="warn" /> : <Badge word="Down" tone="bad" />;
}

function textIn(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberIn(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
