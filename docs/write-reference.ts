import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { handlerClasses } from '../dataplane/audit/handlers/handler-classes.ts';
import { catalogue, typeGroups } from '../dataplane/catalogue/catalogue.ts';
import { scriptOptions } from '../platform/script-options.ts';
import { chartPage } from './chart-page.ts';
import { referencePages } from './reference-pages.ts';
import { resourcesPage } from './resources-page.ts';
import { schemaFiles } from './schema-files.ts';
import { typeNamesFile } from './type-names-file.ts';

/** Writes docs/reference/ anew; pages of types that are gone go, too. */
function writeReference(folder: URL): void {
  const pages = referencePages(catalogue.definitions, [...handlerClasses.values()]);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(new URL(name, folder));
  for (const [name, text] of pages) writeFileSync(new URL(name, folder), text);
}

/** Writes the values of the chart into its page. */
function writeChartPage(folder: URL): void {
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  writeFileSync(new URL('README.md', folder), chartPage(read('README.md'), read('values.yaml')));
}

/** Writes the JSON Schemas of the documents. */
function writeSchemas(folder: URL): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of schemaFiles()) writeFileSync(new URL(name, folder), text);
}

const USAGE = `usage: npm run docs
Writes the reference pages: docs/reference/, docs/resources.md, the values in the page of the chart, the names of types,
the JSON Schemas.
`;

if (import.meta.main) {
  scriptOptions(USAGE, {});
  writeReference(new URL('reference/', import.meta.url));
  writeFileSync(new URL('../dataplane/catalogue/type-names.ts', import.meta.url), typeNamesFile(typeGroups));
  writeSchemas(new URL('schemas/', import.meta.url));
  writeFileSync(new URL('resources.md', import.meta.url), resourcesPage());
  writeChartPage(new URL('../helm/gatewarden/', import.meta.url));
}
