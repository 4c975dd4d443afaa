import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { catalogue } from '../dataplane/catalogue.ts';
import { referencePages } from './reference-pages.ts';
import { resourcesPage } from './resources-page.ts';

/** Writes docs/reference/ anew; pages of types that are gone go, too. */
function writeReference(folder: URL): void {
  const pages = referencePages(catalogue.definitions);
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(new URL(name, folder));
  for (const [name, text] of pages) writeFileSync(new URL(name, folder), text);
}

if (import.meta.main) {
  writeReference(new URL('reference/', import.meta.url));
  writeFileSync(new URL('resources.md', import.meta.url), resourcesPage());
}
