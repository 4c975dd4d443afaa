import type { JSX } from 'preact';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import { listOf, objectOf } from '../../../contract/document/lenient-parts.ts';
import type { OpenResource } from '../../client/watched.ts';
import { shortCount } from '../../parts/figures.ts';
import { Badge } from '../../parts/state-badge.tsx';

interface Endpoint {
  readonly plane: string;
  readonly backends: string;
  readonly route: string;
  readonly values: JsonObject;
}

/** Endpoints of all Backends objects, as each data plane sees them; nothing if there are none. */
export function BackendsTable({ planes }: { readonly planes: readonly OpenResource[] }): JSX.Element | null {
  const endpoints = planes.flatMap(endpointsOf);
  if (endpoints.length === 0) return null;
  return (
    <section class="below" aria-labelledby="backends-title">
      <h2 id="backends-title">Endpoints of backends</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">State</th>
            <th scope="col">Backends</th>
            <th scope="col">Route</th>
            <th scope="col">Data plane</th>
            <th scope="col" class="number">
              Open
            </th>
            <th scope="col" class="number">
              Answered
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col" class="number">
              Ejections
            </th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ plane, backends, route, values }) => (
            <tr key={`${plane} ${route} ${backends} ${String(values['endpoint'])}`}>
              <td>
                <code>{String(values['endpoint'])}</code>
              </td>
              <td>
                <EndpointState state={String(values['state'])} />
              </td>
              <td>{backends}</td>
              <td>{route === '' ? <span class="faint">config.json</span> : route}</td>
              <td>{plane}</td>
              <td class="number">{numberIn(values['outstanding'])}</td>
              <td class="number">{numberIn(objectOf(values['requests'])['answered'])}</td>
              <td class="number">{numberIn(objectOf(values['requests'])['failed'])}</td>
              <td class="number">{numberIn(values['ejections'])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function EndpointState({ state }: { readonly state: string }): JSX.Element {
  if (state === 'serving') return <Badge word="Serving" tone="good" />;
  return state === 'ejected' ? <Badge word="Ejected" tone="warn" /> : <Badge word="Down" tone="bad" />;
}

function endpointsOf(plane: OpenResource): Endpoint[] {
  return listOf(plane['backends']).flatMap((one) => {
    const backends = objectOf(one);
    return listOf(backends['endpoints']).map((endpoint) => ({
      plane: plane._id,
      backends: String(backends['name'] ?? ''),
      route: String(backends['route'] ?? ''),
      values: objectOf(endpoint),
    }));
  });
}

function numberIn(value: JsonValue | undefined): string {
  return typeof value === 'number' ? shortCount(value) : '–';
}
