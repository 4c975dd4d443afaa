import type { Reach } from '../../contract/reach.ts';
import type { BudgetLimits } from './script-budget.ts';
import type { Surroundings } from './script-language.ts';

/** Longest time that a script holds the event loop, and the most work and memory of one run. */
export const SCRIPT_LIMITS: BudgetLimits = { milliseconds: 500, stretch: 50, bytes: 32 * 1024 * 1024, depth: 300 };

/** System properties that every program of Java has. */
const OF_JAVA = [
  'file.separator',
  'java.io.tmpdir',
  'line.separator',
  'path.separator',
  'user.dir',
  'user.home',
  'user.name',
];

/** The environment and the system properties, which only scripts of operators read. */
export function surroundingsOf(reach: Reach): Surroundings {
  const named = (names: readonly string[], read: (name: string) => string | undefined) =>
    Object.fromEntries(names.map((name) => [name, read(name)]));
  return {
    environment: named(reach.envNames(), (name) => reach.env(name)),
    properties: named([...OF_JAVA, ...reach.systemNames()], (name) => reach.system(name)),
  };
}
