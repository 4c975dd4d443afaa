import { writeFileSync } from 'node:fs';
import { scriptOptions } from '../platform/script-options.ts';
import { definitionFiles, definitionTemplates } from './definitions.ts';

/** Writes the custom resource definitions anew, and the chart that has them. */
function writeDefinitions(root: URL): void {
  for (const [name, text] of definitionFiles()) writeFileSync(new URL(`crds/${name}`, root), text);
  for (const [name, text] of definitionTemplates()) {
    writeFileSync(new URL(`helm/gatewarden-crds/templates/${name}`, root), text);
  }
}

const USAGE = `usage: npm run crds
Writes the custom resource definitions in crds/ and in the chart helm/gatewarden-crds.
`;

if (import.meta.main) {
  scriptOptions(USAGE, {});
  writeDefinitions(new URL('../', import.meta.url));
}
