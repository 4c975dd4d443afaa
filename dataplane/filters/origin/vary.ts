import { fixedLine } from '../../engine/head/added-line.ts';
import type { Headers } from '../../engine/head/headers.ts';

/** Adds these request headers to Vary, for caches. */
export function addVary(headers: Headers, ...names: readonly string[]): void {
  const vary = headers.get('vary');
  if (vary === null) {
    headers.append('Vary', names.length === 1 ? names[0]! : names.join(', '));
    return;
  }
  const said = vary.split(',').map((name) => name.trim().toLowerCase());
  if (said.includes('*')) return;
  const missing = names.filter((name) => !said.includes(name.toLowerCase()));
  if (missing.length > 0) headers.append('Vary', missing.join(', '));
}

const BY_ORIGIN = fixedLine('Vary', 'Origin')!;

/** A cache must not give the answer for one origin to another. */
export function varyByOrigin(headers: Headers): void {
  if (headers.has('vary')) addVary(headers, 'Origin');
  else headers.appendFixed(BY_ORIGIN);
}
