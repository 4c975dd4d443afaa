import { expect, it } from 'vitest';
import { MOST_SUMMARIES } from '../../../contract/channel.ts';
import { backendsSummaries } from '../../../dataplane/metrics/backends-summary.ts';
import type { GaugeValue } from '../../../dataplane/metrics/gauges.ts';

function shown(name: string, total: number, ejected: number, down: number): GaugeValue[] {
  const labels = { fully_qualified_name: `gateway._router.app.${name}`, name, route: 'app', router: 'gateway._router' };
  const state = (of: string, value: number): GaugeValue => ({
    ...{ metric: 'gw_backends_endpoints', labels: { ...labels, state: of }, value },
  });
  return [
    { metric: 'gw_backends_known_endpoints', labels, value: total },
    ...[state('serving', total), state('ejected', ejected), state('down', down)],
    { metric: 'gw_backends_endpoint_state', labels: { ...labels, endpoint: 'a:80' }, value: 1 },
  ];
}

it('summarises each Backends, those with the fewest sound endpoints first', () => {
  const gauges = [...shown('sound', 3, 0, 0), ...shown('half', 4, 1, 1), ...shown('none', 0, 0, 0)];
  const of = { route: 'app', router: 'gateway._router' };
  expect(backendsSummaries(gauges)).toEqual([
    { ...of, name: 'none', total: 0, ejected: 0, down: 0 },
    { ...of, name: 'half', total: 4, ejected: 1, down: 1 },
    { ...of, name: 'sound', total: 3, ejected: 0, down: 0 },
  ]);
});

it('summarises a bounded number of Backends', () => {
  const sound = Array.from({ length: MOST_SUMMARIES }, (_, at) => shown(`b${at}`, 1, 0, 0)).flat();
  const summaries = backendsSummaries([...sound, ...shown('worst', 2, 2, 0)]);
  expect([summaries.length, summaries[0]?.name]).toEqual([MOST_SUMMARIES, 'worst']);
});
