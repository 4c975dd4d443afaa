import { writeFileSync } from 'node:fs';
import { definitionFiles, definitionTemplates } from './definitions.ts';

/** Writes the custom resource definitions anew, and the chart that has them. */
function writeDefinitions(root: URL): void {
  for (const [name, text] of definitionFiles()) writeFileSync(new URL(`crds/${name}`, root), text);
  for (const [name, text] of definitionTemplates()) {
    writeFileSync(new URL(`helm/gatewarden-crds/templates/${name}`, root), text);
  }
}

if (import.meta.main) writeDefinitions(new URL('../', import.meta.url));
