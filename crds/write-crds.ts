import { writeFileSync } from 'node:fs';
import { definitionFiles } from './definitions.ts';

/** Writes the custom resource definitions anew. */
function writeDefinitions(folder: URL): void {
  for (const [name, text] of definitionFiles()) writeFileSync(new URL(name, folder), text);
}

if (import.meta.main) writeDefinitions(new URL('./', import.meta.url));
