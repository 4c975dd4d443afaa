import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkManifests } from '../../../cli/actions/check-manifests.ts';
import { injectManifests } from '../../../cli/actions/inject-manifests.ts';
import { annotationName, type PodWishes, podAnnotations } from '../../../controller/injection/pod-annotations.ts';
import { sidecarSettings } from '../../../controller/injection/sidecar-settings.ts';
import { plainTerms } from '../../support/cluster/injected-pod.ts';
import { repositoryRoot } from '../source-file.ts';

const page = readFileSync(`${repositoryRoot}/docs/sidecars.md`, 'utf8');

/** The first cells of the table of a section, without what marks code. */
function firstCells(section: string): string[] {
  const [, rest = ''] = page.split(`## ${section}\n`);
  const [own = ''] = rest.split(/^## /m);
  const rows = own.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) => line.split('|')[1]!.trim().replaceAll('`', ''));
}

const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);
/** Manifests; the others are values of the chart. */
const examples = blocks.filter((text) => /^kind: /m.test(text));

describe('docs/sidecars.md', () => {
  it('lists every annotation', () => {
    const wishes = Object.keys(podAnnotations) as (keyof PodWishes)[];
    expect(firstCells('Annotations')).toEqual(wishes.map(annotationName));
  });

  it('lists every field of sidecar.json', () => {
    expect(firstCells('Settings')).toEqual(Object.keys(sidecarSettings.shape));
  });

  it('has examples that hold', () => {
    expect(examples).toHaveLength(2);
    const files = examples.map((text, at) => ({ path: `${at}.yaml`, content: Buffer.from(text) }));
    const { text, said } = injectManifests(files, plainTerms);
    expect(said).toEqual([]);
    expect(text).toContain('targetPort: gatewarden');
    expect(text).toMatch(/- name: gatewarden\n +containerPort: 15080/);
    const { verdicts, resources } = checkManifests(files, { system: {}, namespace: 'shop', base: null });
    expect(resources).toBe(1);
    expect(verdicts.flatMap(({ problems }) => problems)).toEqual([]);
  });
});
