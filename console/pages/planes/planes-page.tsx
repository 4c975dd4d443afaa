import type { JSX } from 'preact';
import { isJsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { listOf } from '../../../contract/document/lenient-parts.ts';
import { usePoll } from '../../client/use-poll.ts';
import { type OpenResource, planes } from '../../client/watched.ts';
import { counted, shortCount, shortTime } from '../../parts/figures.ts';
import { Empty, Shown } from '../../parts/notes.tsx';
import { NumberHead } from '../../parts/number-head.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Badge } from '../../parts/state-badge.tsx';
import { addressOf } from '../../shell/place.ts';
import { BackendsTable } from './backends-table.tsx';

/** Data planes, the configuration that each runs, and the backends that each sees. */
export function PlanesPage(): JSX.Element {
  const known = usePoll(planes);
  const value = known.value ?? [];
  const current = value.filter((plane) => plane['isCurrent'] === true).length;
  return (
    <div class="page">
      <PageHead title="Data planes" at={known.at}>
        {known.value === null ? null : (
          <>
            <span>{counted(value.length, 'data plane')}</span>
            <span>
              {current === value.length
                ? 'all run the newest configuration'
                : `${current} run the newest configuration`}
            </span>
          </>
        )}
      </PageHead>
      <Shown known={known} what="data planes" retry={planes.refresh}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="No data plane is connected" />
          ) : (
            <>
              <table class="table">
                <thead>
                  <tr>
                    <th scope="col">Data plane</th>
                    <th scope="col">State</th>
                    <th scope="col">Revision</th>
                    <th scope="col">Addresses</th>
                    <NumberHead>Units</NumberHead>
                    <NumberHead>Memory</NumberHead>
                    <NumberHead>Snapshot age</NumberHead>
                    <NumberHead>Routes</NumberHead>
                    <NumberHead>Unit restarts</NumberHead>
                    <th scope="col">Routes that cannot be built</th>
                  </tr>
                </thead>
                <tbody>
                  {all.map((plane) => (
                    <PlaneRow key={plane._id} plane={plane} />
                  ))}
                </tbody>
              </table>
              <BackendsTable planes={all} />
            </>
          )
        }
      </Shown>
    </div>
  );
}

function PlaneRow({ plane }: { readonly plane: OpenResource }): JSX.Element {
  const problems = listOf(plane['problems']).flatMap((one) => (isJsonObject(one) ? [String(one['route'])] : []));
  const addresses = listOf(plane['addresses']).flatMap((one) => (isJsonObject(one) ? [addressText(one)] : []));
  return (
    <tr>
      <td>{typeof plane['name'] === 'string' ? plane['name'] : plane._id}</td>
      <td>
        <PlaneState plane={plane} />
      </td>
      <td>
        <code>{typeof plane['revision'] === 'string' ? plane['revision'].slice(0, 12) : '–'}</code>
      </td>
      <td>
        {addresses.map((address) => (
          <div key={address}>
            <code>{address}</code>
          </div>
        ))}
      </td>
      <td class="number">{unitsText(plane)}</td>
      <td class="number">
        {typeof plane['memory'] === 'number' ? `${shortCount(Math.round(plane['memory'] / 1e6))} MB` : '–'}
      </td>
      <td class="number">{typeof plane['snapshotAge'] === 'number' ? shortTime(plane['snapshotAge']) : '–'}</td>
      <td class="number">{typeof plane['routes'] === 'number' ? shortCount(plane['routes']) : '–'}</td>
      <td class="number">{String(plane['unitRestarts'] ?? '–')}</td>
      <td>
        {problems.length === 0 ? <span class="faint">none</span> : null}
        <span class="ids">
          {problems.map((route) => (
            <a key={route} href={addressOf(['routes', route])}>
              {route}
            </a>
          ))}
        </span>
      </td>
    </tr>
  );
}

function unitsText({ units, unitsServing }: OpenResource): string {
  return typeof units === 'number' && typeof unitsServing === 'number' ? `${unitsServing} of ${units}` : '–';
}

function PlaneState({ plane }: { readonly plane: OpenResource }): JSX.Element {
  const { state, draining, ready } = plane;
  if (draining === true) return <Badge word="Draining" tone="warn" />;
  if (state === 'refused')
    return <Badge word="Refused" tone="bad" title="It could not build part of its configuration." />;
  if (state === 'behind') return <Badge word="Behind" tone="warn" title="It runs an older configuration." />;
  if (state === 'left') return <Badge word="Left" tone="quiet" title="It is not connected any more." />;
  return ready === false ? <Badge word="Not ready" tone="bad" /> : <Badge word="Current" tone="good" />;
}

function addressText(address: Readonly<Record<string, JsonValue>>): string {
  const host = String(address['host'] ?? '');
  return `${String(address['scheme'] ?? 'http')}://${host.includes(':') ? `[${host}]` : host}:${String(address['port'] ?? '')}`;
}
