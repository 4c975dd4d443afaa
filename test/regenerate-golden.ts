import { rmSync, writeFileSync } from 'node:fs';
import { scriptOptions } from '../platform/script-options.ts';
import { goldenCases, goldenFile, outcomeOf } from './support/programs/golden-case.ts';

const USAGE = `usage: npm run golden
Writes the expected outcome of every golden case in test/golden anew.
`;

scriptOptions(USAGE, {});
let changes = 0;
for (const golden of goldenCases()) {
  for (const [file, content] of Object.entries(await outcomeOf(golden))) {
    if (goldenFile(golden.name, file) === content) continue;
    changes += 1;
    const path = `${golden.directory}/${file}`;
    if (content === null) rmSync(path);
    else writeFileSync(path, content);
    process.stdout.write(`${content === null ? 'removed' : 'written'}: ${path}\n`);
  }
}
process.stdout.write(`${changes} files changed\n`);
