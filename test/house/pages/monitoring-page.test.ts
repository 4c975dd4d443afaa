import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { denialReasons, routeCounts } from '../../../contract/route-counts.ts';
import { PlaneMetrics } from '../../../dataplane/supervisor/plane-metrics.ts';
import { repositoryRoot } from '../source-file.ts';

const read = (path: string): string => readFileSync(`${repositoryRoot}/${path}`, 'utf8');
const page = read('docs/monitoring.md');

/** The cells of the rows of a section, each without the marks of code. */
function rows(section: string): string[][] {
  const text = page.split(`${section}\n`)[1]!.split(/^#/m)[0]!;
  return [...text.matchAll(/^\| `.*$/gm)].map(([row]) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

/** Names of all metrics of a plane that are its own. */
function planeMetrics(): string[] {
  const figures = { read: () => ({ values: {}, refusals: [], handshakeFaults: [], durations: [] }) as never };
  const metrics = new PlaneMetrics(
    { ...figures, units: 1, unitRestarts: 0 },
    () => [],
    () => [],
  );
  metrics.followRoutes();
  metrics.close();
  const names = metrics.registry.getMetricsAsArray().map(({ name }) => name);
  return names.filter((name) => /^(gw|gatewarden)_/.test(name));
}

describe('docs/monitoring.md', () => {
  it('lists every metric of planes', () => {
    const sections = ['### Of the process', '### Of routes', '### Of objects'];
    const listed = sections.flatMap((section) => rows(section).map(([, name]) => name!));
    expect(listed.toSorted()).toEqual(planeMetrics().toSorted());
  });

  it('marks the metrics that controllers show too', () => {
    const reported = rows('### Of objects').filter(([, , , mark]) => mark === 'yes');
    expect(new Set(reported.map(([, name]) => name))).toEqual(new Set(routeCounts.map(({ metric }) => metric)));
  });

  it('explains every reason of a denial', () => {
    expect(rows('### Reasons of denials').map(([, reason]) => reason)).toEqual([...denialReasons]);
  });

  it('lists every alert of the chart', () => {
    const { rules } = parse(read('helm/gatewarden/alerts/gatewarden.yaml')) as { rules: { alert: string }[] };
    expect(rows('## Alerts').map(([, alert]) => alert)).toEqual(rules.map(({ alert }) => alert));
  });
});
