import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryRoot } from './source-file.ts';

const { version } = JSON.parse(readFileSync(`${repositoryRoot}/package.json`, 'utf8')) as { version: string };

describe.each(['gatewarden', 'gatewarden-crds'])('the chart %s', (name) => {
  const chart = parse(readFileSync(`${repositoryRoot}/helm/${name}/Chart.yaml`, 'utf8')) as Record<string, string>;

  it('has the version of the program, which is the tag of the image', () => {
    expect(chart).toMatchObject({ name, version, appVersion: version });
  });

  it('is for the same versions of Kubernetes', () => {
    expect(chart['kubeVersion']).toBe('>=1.33.0-0');
  });
});
