import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { adminSettings } from '../../../contract/admin-settings.ts';
import { applyTransformations } from '../../../contract/document/transformations.ts';
import type { LanguageFunction } from '../../../contract/expression/language.ts';
import type { Problem } from '../../../contract/problem.ts';
import { vertxServerOptions } from '../../../contract/vertx-options.ts';
import { schemaTree } from '../../../contract/vocabulary/schema-tree.ts';
import { defaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { functionHelp } from '../../../dataplane/language/language-help.ts';
import { configurationLanguage, runtimeLanguage } from '../../../dataplane/language/runtime-language.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { repositoryRoot } from '../source-file.ts';

const page = readFileSync(`${repositoryRoot}/docs/configuration.md`, 'utf8');
const reach = operatorReach();
const runtime = runtimeLanguage(reach, new Map());
const configuration = configurationLanguage(reach, new Map());

/** The code in the first cell of every row of the section, whatever comes after it. */
function rows(section: string): { code: string; rest: string }[] {
  const text = page.split(`${section}\n`)[1]!.split(/^#/m)[0]!;
  return [...text.matchAll(/^\| `([^`]+)` +\|(.*)$/gm)].map((row) => ({ code: row[1]!, rest: row[2]! }));
}

describe('docs/configuration.md', () => {
  it('lists every function of the language with its arguments, in order, and replacements of old ones', () => {
    const shown = rows('### Functions').map(({ code, rest }) => ({
      name: /^\w+/.exec(code)![0],
      takes: code.includes('…') ? 'many' : code.split(',').length,
      replacedBy: /deprecated: `(\w+)`/.exec(rest)?.[1],
    }));
    const known = [...runtime.functions].map(([name, one]) => ({
      name,
      takes: argumentsOf(one),
      replacedBy: one.replacedBy,
    }));
    expect(shown).toEqual(known.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });

  it('describes functions in the words that the console shows', () => {
    const shown = rows('### Functions').map(({ code, rest }) => [code, rest.replace(/\|$/, '').trim()]);
    expect(shown).toEqual(functionHelp);
  });

  it('lists every root and when it is available', () => {
    const shown = rows('### Roots').map(({ code, rest }) => [code, rest.split('|')[0]!.trim()]);
    const known = [...runtime.roots.keys()].map((name) => [name, configuration.roots.has(name) ? 'both' : 'runtime']);
    expect(shown.toSorted()).toEqual(known.toSorted());
    expect([...configuration.roots.keys()].filter((name) => !runtime.roots.has(name))).toEqual([]);
  });

  it('lists every predefined object', () => {
    const known = (defaultObjects as { name: string }[]).map(({ name }) => name);
    expect(
      rows('## Documents')
        .map(({ code }) => code)
        .toSorted(),
    ).toEqual(known.toSorted());
  });

  it('lists every field of admin.json, and every option of a connector that has an effect', () => {
    const text = page.split('## admin.json\n')[1]!.split(/^## /m)[0]!;
    const [fields, options] = text.split('Of `vertx` these').map((part) => part.split('\n').filter(isRow));
    const names = (row: string): string[] => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map((match) => match[1]!);
    expect(fields!.flatMap(names).toSorted()).toEqual(Object.keys(adminSettings.shape).toSorted());
    const effective = Object.entries(vertxServerOptions.shape).filter(([, field]) => hasEffect(field));
    expect(options!.flatMap(names).toSorted()).toEqual(effective.map(([name]) => name).toSorted());
  });

  it('lists every transformation, each with an example that can be applied', () => {
    const problems: Problem[] = [];
    const shown = rows('## Transformations').map(({ code }) => {
      const example = JSON.parse(code.replace('&{port}', '8080')) as Record<string, string>;
      applyTransformations(example, (problem) => problems.push(problem));
      return Object.keys(example)[0]!;
    });
    expect(problems).toEqual([]);
    applyTransformations({ $unheardOf: '' }, (problem) => problems.push(problem));
    const known = problems[0]!.hint!.match(/\$[\w:]+/g)!;
    expect(shown.toSorted()).toEqual(known.toSorted());
  });
});

const isRow = (line: string): boolean => line.startsWith('| `');

function hasEffect(field: z.ZodType): boolean {
  const { noEffect, label = '' } = schemaTree(field).notes;
  return noEffect === undefined && !label.startsWith('refused');
}

function argumentsOf({ takes }: LanguageFunction): number | 'many' {
  if (takes === 'many') return 'many';
  return takes === 'one' ? 1 : 2;
}
