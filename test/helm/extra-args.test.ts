import { describe, expect, it } from 'vitest';
import { SIDECAR_OPTIONS } from '../../controller/injection/sidecar-options.ts';
import { objectsOf, renderText, valueSet } from '../support/cluster/chart.ts';

interface Workload {
  readonly template: { readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] } };
}

/** The options of all containers of the chart, with every value set. */
async function optionsOf(component: string): Promise<string[]> {
  const objects = objectsOf(await renderText({ values: [valueSet('everything')] }));
  const workloads = objects.filter(
    ({ kind, metadata }) =>
      ['Deployment', 'DaemonSet'].includes(kind) && metadata.labels?.['app.kubernetes.io/component'] === component,
  );
  const words = workloads.flatMap(({ spec }) =>
    (spec as Workload).template.spec.containers.flatMap(({ args }) => args),
  );
  const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=', 1)[0]!);
  expect(given.length).toBeGreaterThan(8);
  return [...new Set(given)];
}

const refusal = (values: object): Promise<string> =>
  renderText({ values: [values] }).catch(({ message }: Error) => message);

describe('an option that the chart sets is refused in extraArgs', () => {
  it('of controllers', async () => {
    const options = await optionsOf('controller');
    const said = await refusal({ controller: { extraArgs: options.map((option) => `${option}=x`) } });
    expect(options.filter((option) => !said.includes(`the chart sets ${option} itself`))).toEqual([]);
  });

  it('of planes', async () => {
    const options = await optionsOf('dataplane');
    const said = await refusal({ dataPlaneDefaults: { extraArgs: options.flatMap((option) => [option, 'x']) } });
    expect(options.filter((option) => !said.includes(`the chart sets ${option} itself`))).toEqual([]);
  });

  it('of sidecars', async () => {
    const said = await refusal({ sidecars: { extraArgs: SIDECAR_OPTIONS } });
    expect(SIDECAR_OPTIONS.filter((option) => !said.includes(`the chart sets ${option} itself`))).toEqual([]);
  });
});
