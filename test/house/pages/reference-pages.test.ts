import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Problem } from '../../../contract/problem.ts';
import { handlerClasses } from '../../../dataplane/audit/handlers/handler-classes.ts';
import { catalogue, typeGroups } from '../../../dataplane/catalogue/catalogue.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import { defineHandler } from '../../../dataplane/heap/definition.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';
import { referencePages, undocumented } from '../../../docs/reference-pages.ts';
import { schemaFiles } from '../../../docs/schema-files.ts';
import { typeNamesFile } from '../../../docs/type-names-file.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { repositoryRoot } from '../source-file.ts';

const folder = `${repositoryRoot}/docs/reference`;
const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
const handlers = [...handlerClasses.values()];

describe('the reference', () => {
  it('is what `npm run docs` writes', () => {
    const pages = referencePages(catalogue.definitions, handlers);
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
    const drifted = [...pages].filter(([name, text]) => readFileSync(`${folder}/${name}`, 'utf8') !== text);
    expect(drifted.map(([name]) => name)).toEqual([]);
  });

  it('describes everything', () => {
    expect(undocumented(catalogue.definitions, handlers)).toEqual([]);
  });

  it('is noticed to be silent about a field, or without an example', () => {
    const silent = defineHandler({
      type: 'Silent',
      summary: 'Says nothing.',
      config: z.strictObject({ outer: z.strictObject({ inner: z.string() }).describe('Known.') }),
      create: () => () => new Response(200),
    });
    expect(undocumented([silent])).toEqual(['Silent.outer.inner has no description', 'Silent has no example']);
  });
});

describe('dataplane/catalogue/type-names.ts', () => {
  it('is what `npm run docs` writes', () => {
    const text = readFileSync(`${repositoryRoot}/dataplane/catalogue/type-names.ts`, 'utf8');
    expect(text).toBe(typeNamesFile(typeGroups));
  });
});

describe('docs/schemas', () => {
  it('are what `npm run docs` writes', () => {
    const drifted = [...schemaFiles()].filter(
      ([name, text]) => readFileSync(`${repositoryRoot}/docs/schemas/${name}`, 'utf8') !== text,
    );
    expect(drifted.map(([name]) => name)).toEqual([]);
    expect(readdirSync(`${repositoryRoot}/docs/schemas`).sort()).toEqual([...schemaFiles().keys()].sort());
  });
});

describe('examples are valid', () => {
  const examples = catalogue.definitions.flatMap(({ type, examples = [] }) =>
    examples.map(({ title, config }) => [type, title, config] as const),
  );

  it.each(examples)('%s: %s', async (type, _, config) => {
    await loadAllParts(catalogue);
    const heap = [{ name: 'example', type, config: JSON.parse(JSON.stringify(config)) }];
    const problems = checkConfigured({ heap, handler });
    // some types are never safe, and some are deprecated or without effect as a whole
    const ofType = ({ code, path }: Problem): boolean =>
      code === 'insecure' || (['deprecated-field', 'no-effect'].includes(code) && path.at(-1) === 'config');
    expect(problems.filter((problem) => !ofType(problem))).toEqual([]);
  });

  const ofHandlers = handlers.flatMap(({ className, examples = [] }) =>
    examples.map(({ title, config }) => [className, title, config] as const),
  );

  it.each(ofHandlers)('%s: %s', (className, _, config) => {
    const eventHandlers = [{ class: className, config: JSON.parse(JSON.stringify(config)) }];
    const topics = Object.fromEntries(
      (config as { topics: string[] }).topics
        .filter((topic) => topic !== 'access')
        .map((topic) => [topic, { schema: { properties: { path: { type: 'string' } } } }]),
    );
    const heap = [{ name: 'example', type: 'AuditService', config: { config: { topics }, eventHandlers } }];
    const problems = checkConfigured({ heap, handler });
    expect(problems.filter(({ code }) => code !== 'insecure')).toEqual([]);
  });
});
