import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { trustSettings } from '../../../contract/trust-settings.ts';
import { repositoryRoot } from '../source-file.ts';

const read = (path: string): string => readFileSync(`${repositoryRoot}/${path}`, 'utf8');
const page = read('docs/operating.md');

/** The first cells of the table that follows a text, without what marks code. */
function firstCells(after: string): string[] {
  const [, rest = ''] = page.split(after);
  const lines = rest.split('\n');
  const begin = lines.findIndex((line) => line.startsWith('|'));
  const table = lines.slice(begin);
  const length = table.findIndex((line) => !line.startsWith('|'));
  return table.slice(2, length).map((line) => line.split('|')[1]!.trim().replaceAll('`', ''));
}

/** The texts that a union in a source file allows. */
function union(path: string, opening: string): string[] {
  const [, rest = ''] = read(path).split(opening);
  return [...rest.slice(0, rest.indexOf(';')).matchAll(/'(\w+)'/g)].map((match) => match[1]!);
}

describe('docs/operating.md', () => {
  it.each([
    ['**Accepted**', 'controller/compile/resources/resource-verdict.ts', 'type AcceptedReason ='],
    ['**ResolvedRefs**', 'controller/compile/resources/resource-verdict.ts', 'type ResolvedRefsReason ='],
    ['**Programmed**', 'controller/cluster/status/programmed.ts', 'type ProgrammedReason ='],
    ['**Certificates**', 'controller/compile/resources/certificates/certificate-facts.ts', 'type CertificatesReason ='],
    ['**Events**', 'controller/cluster/status/status-transitions.ts', 'readonly reason:'],
  ])('explains every reason of %s', (heading, path, opening) => {
    const known = union(path, opening);
    expect(known.length).toBeGreaterThan(1);
    expect(firstCells(heading)).toEqual(known);
  });

  it('lists every field of trust.json', () => {
    expect(firstCells('## trust.json\n')).toEqual(fieldsOf(trustSettings, ''));
  });

  it('lists every metric of controllers, and every one of links', () => {
    const named = (path: string): string[] =>
      [...read(path).matchAll(/name: '(gw_\w+)'/g)].map((match) => match[1]!).toSorted();
    const rows = [...page.matchAll(/^\| `(gw_\w+)` /gm)].map((row) => row[1]!).toSorted();
    const known = [
      ...named('controller/metrics/controller-metrics.ts'),
      ...named('controller/metrics/certificate-metrics.ts'),
      ...named('dataplane/metrics/link-exposition.ts'),
    ];
    expect(rows).toEqual(known.toSorted());
  });
});

/** Every field of an object and of the objects in its arrays, as people write paths. */
function fieldsOf(schema: z.ZodObject, prefix: string): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodDefault ? field.unwrap() : field;
    const element = inner instanceof z.ZodArray ? inner.element : null;
    const below = element instanceof z.ZodObject ? fieldsOf(element, `${prefix}${name}[].`) : [];
    return [`${prefix}${name}`, ...below];
  });
}
