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
