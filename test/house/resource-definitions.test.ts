import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definitionFiles, definitionTemplates, resourceDefinitions } from '../../crds/definitions.ts';
import { structuralSchema } from '../../crds/structural-schema.ts';
import { resourcesPage } from '../../docs/resources-page.ts';
import { repositoryRoot } from './source-file.ts';

describe('the custom resource definitions', () => {
  it.each([
    ['crds', definitionFiles()],
    ['helm/gatewarden-crds/templates', definitionTemplates()],
  ])('in %s are what `npm run crds` writes', (folder, files) => {
    const found = readdirSync(`${repositoryRoot}/${folder}`).filter((name) => name.endsWith('.yaml'));
    expect(found.sort()).toEqual([...files.keys()].sort());
    const drifted = [...files].filter(
      ([name, text]) => readFileSync(`${repositoryRoot}/${folder}/${name}`, 'utf8') !== text,
    );
    expect(drifted.map(([name]) => name)).toEqual([]);
  });

  it('can be kept by the chart when it is uninstalled', () => {
    for (const text of definitionTemplates().values()) expect(text).toContain('helm.sh/resource-policy: keep');
  });

  it.each(resourceDefinitions)('describe every field of a $kind', ({ spec, status }) => {
    expect([...silent(structuralSchema(spec), 'spec'), ...silent(structuralSchema(status), 'status')]).toEqual([]);
  });

  it('are rejected without a description', () => {
    const schema = z.strictObject({ outer: z.array(z.strictObject({ inner: z.string() })).describe('Known.') });
    expect(silent(structuralSchema(schema), 'spec')).toEqual(['spec.outer.inner']);
  });
});

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
}

/** The paths of fields without a description. */
function silent(node: Node, path: string): string[] {
  const fields = Object.entries({ ...node.properties, ...node.items?.properties });
  return fields.flatMap(([name, field]) => [
    ...(field.description === undefined ? [`${path}.${name}`] : []),
    ...silent(field, `${path}.${name}`),
  ]);
}

it('docs/resources.md is what `npm run docs` writes', () => {
  expect(readFileSync(`${repositoryRoot}/docs/resources.md`, 'utf8')).toBe(resourcesPage());
});
