import { didYouMean } from '../../contract/did-you-mean.ts';
import type { Duration } from '../../contract/duration.ts';
import type { Target } from '../../contract/expression/target.ts';
import type { Path, Problem } from '../../contract/problem.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { RuntimeExpression } from '../../contract/vocabulary/runtime.ts';
import { durationsIn, expressionsIn, targetsIn } from './config-walk.ts';

/** What hears of remarks, and what the values were read with. */
interface RemarkOptions {
  readonly reading: Reading;
  report(problem: Problem): void;
}

/** Warns of what a sound configuration says that will not do what its writer thinks. */
export function noteValues(config: unknown, path: Path, options: RemarkOptions): void {
  for (const { value, path: at } of expressionsIn(config, path)) noteExpression(value, at, options);
  for (const { value, path: at } of targetsIn(config, path)) noteTarget(value, at, options);
  for (const { value, path: at } of durationsIn(config, path)) noteDuration(value, at, options);
}

/** Warns of deprecated functions, of names and properties that are not known and of methods that no value has. */
export function noteExpression(
  { compiled, remarks }: Pick<RuntimeExpression<unknown>, 'compiled' | 'remarks'>,
  path: Path,
  options: RemarkOptions,
): void {
  const { report } = options;
  for (const { name, replacement } of compiled?.deprecations ?? []) {
    const message = `the function '${name}' is deprecated: use '${replacement}'`;
    report({ code: 'deprecated-field', severity: 'warning', path, message });
  }
  for (const root of compiled?.unknownRoots ?? []) noteRoot(root, path, options);
  for (const remark of remarks) report({ code: 'expression', severity: 'warning', path, ...remark });
  for (const method of compiled?.unknownMethods ?? []) {
    const message = `there is no method '${method}': where it is called, the expression gives null`;
    report({ code: 'expression', severity: 'warning', path, message });
  }
}

function noteRoot(root: string, path: Path, { reading, report }: RemarkOptions): void {
  const { roots, constants } = reading.runtime;
  const meant = root === 'exchange' ? undefined : didYouMean(root, [...roots.keys(), ...constants.keys()]);
  const hint = meant === undefined ? EARLIER_ROOTS[root] : `did you mean '${meant}'?`;
  const message = `'${root}' is not known here and is always null`;
  report({ code: 'expression', severity: 'warning', path, message, ...(hint === undefined ? {} : { hint }) });
}

/** Names that early versions of OpenIG had. */
const EARLIER_ROOTS: Readonly<Record<string, string | undefined>> = {
  exchange: "'request', 'response' and 'session' are names of their own, and 'attributes' holds what else was in it",
};

function noteTarget({ source, readOnly }: Target, path: Path, { report }: RemarkOptions): void {
  if (!readOnly) return;
  const message = `has no effect: nothing can be assigned to ${source}`;
  report({ code: 'no-effect', severity: 'warning', path, message });
}

function noteDuration({ ignored, amount, unit }: Duration, path: Path, { report }: RemarkOptions): void {
  if (ignored === '') return;
  const message = `ends at '${amount} ${unit}': '${ignored}' has no effect`;
  report({ code: 'no-effect', severity: 'warning', path, message });
}
