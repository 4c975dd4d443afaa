import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPaths } from '../../../cli/actions/check-paths.ts';
import { openInstance } from '../../../cli/actions/open-instance.ts';
import { checkReport } from '../../../cli/output/check-report.ts';
import { snapshotText } from '../../../cli/output/snapshot-text.ts';
import { nothingGood } from '../../../controller/compile/last-good.ts';
import { compileSource } from '../../../controller/live-instance.ts';
import { instanceLayout } from '../../../controller/source/instance-layout.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { loadAllParts } from '../../../dataplane/heap/named-parts.ts';

/** An instance directory under `test/golden`, and what it is run with. */
export interface GoldenCase {
  readonly name: string;
  /** From the working directory, as somebody would type it. */
  readonly directory: string;
  readonly given: Given;
}

/** What `given.json` of a case says; without one, nothing is given. */
export interface Given {
  /** What `-D` sets. */
  readonly system: Readonly<Record<string, string>>;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The files that say what comes of a case, by name; null for one that must not be there. */
export type GoldenOutcome = Readonly<Record<'problems.txt' | 'snapshot.json', string | null>>;

const goldenFolder = fileURLToPath(new URL('../../golden', import.meta.url));

export function goldenCases(): GoldenCase[] {
  return readdirSync(goldenFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({
      name,
      directory: relative('', `${goldenFolder}/${name}`),
      given: { system: {}, env: {}, ...(JSON.parse(goldenFile(name, 'given.json') ?? '{}') as Partial<Given>) },
    }));
}

/** A file of a case, or null when it is not there. */
export function goldenFile(name: string, file: string): string | null {
  try {
    return readFileSync(`${goldenFolder}/${name}/${file}`, 'utf8');
  } catch {
    return null;
  }
}

/** What `gatewarden check` and `gatewarden compile` print now; the snapshot is in lines, so that people can compare it. */
export async function outcomeOf({ directory, given: { system, env } }: GoldenCase): Promise<GoldenOutcome> {
  await loadAllParts(catalogue);
  return withEnvironment(env, () => {
    const { text } = checkReport(checkPaths([directory], { system, namespace: 'default', base: null }));
    const { compiler, source } = openInstance(instanceLayout(directory), { system });
    const { snapshot } = compileSource(compiler, source, nothingGood);
    source.close();
    return { 'problems.txt': text, 'snapshot.json': snapshot === null ? null : inLines(snapshotText(snapshot)) };
  });
}

/** JSON with one member to a line. */
export function inLines(json: string): string {
  return `${JSON.stringify(JSON.parse(json), null, 2)}\n`;
}

/** Runs something with this environment and no other variable. */
function withEnvironment<T>(env: Readonly<Record<string, string>>, run: () => T): T {
  const before = { ...process.env };
  const replace = (variables: NodeJS.ProcessEnv): void => {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, variables);
  };
  replace({ ...env });
  try {
    return run();
  } finally {
    replace(before);
  }
}
