import type { JSX } from 'preact';
import type { OpenResource } from '../../client/watched.ts';
import { shortCount } from '../../parts/figures.ts';
import { NumberHead } from '../../parts/number-head.tsx';
import { EndpointState, endpointsOf } from './endpoints.tsx';

/** Endpoints of all Backends objects, as each data plane sees them; nothing if there are none. */
export function BackendsTable({ planes }: { readonly planes: readonly OpenResource[] }): JSX.Element | null {
  const endpoints = planes.flatMap(endpointsOf);
  if (endpoints.length === 0) return null;
  return (
    <section class="below" aria-labelledby="backends-title">
      <h2 id="backends-title">Endpoints of backends</h2>
      <table class="table backends">
        <thead>
          <tr>
            <th scope="col">Endpoint</th>
            <th scope="col">State</th>
            <th scope="col">Backends</th>
            <th scope="col">Route</th>
            <th scope="col">Data plane</th>
            <NumberHead>Open</NumberHead>
            <NumberHead>Answered</NumberHead>
            <NumberHead>Failed</NumberHead>
            <NumberHead>Ejections</NumberHead>
          </tr>
        </thead>
        <tbody>
          {endpoints.map(({ plane, backends, route, endpoint, state, outstanding, answered, failed, ejections }) => (
            <tr key={`${plane} ${route} ${backends} ${endpoint}`}>
              <td>
                <code>{endpoint}</code>
              </td>
              <td>
                <EndpointState state={state} />
              </td>
              <td>{backends}</td>
              <td>{route === '' ? <span class="faint">config.json</span> : route}</td>
              <td>{plane}</td>
              <td class="number">{shortCount(outstanding)}</td>
              <td class="number">{shortCount(answered)}</td>
              <td class="number">{shortCount(failed)}</td>
              <td class="number">{shortCount(ejections)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
