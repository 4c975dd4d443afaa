import { printable } from '../../contract/document/printable-text.ts';
import type { Compilation } from '../../controller/compile/compiler.ts';
import type { Verdict } from '../../controller/compile/verdict.ts';
import type { BuildProblem } from '../../dataplane/routes/configuration.ts';
import { shownPath } from './verdict-text.ts';

/**
 * The routes of every router in the order in which they are tried, with their conditions; at most so many of each.
 * @param unbuilt problems of routes that are valid and could not be built
 */
export function routeLines(
  compilation: Compilation,
  watch: boolean,
  most: number,
  unbuilt: readonly BuildProblem[] = [],
): string[] {
  const { snapshot, verdicts, directories, absent } = compilation;
  const lines: string[] = [];
  const byRoute = new Map<string, Verdict>();
  for (const verdict of verdicts) {
    if (verdict.route !== null && verdict.serves !== 'nothing') {
      byRoute.set(`${verdict.route.router}\n${verdict.route.id}`, verdict);
    }
  }
  const refusing = new Set(unbuilt.map(({ route }) => (route === null ? '' : `${route.router}\n${route.id}`)));
  const routes = Map.groupBy(snapshot?.routes ?? [], ({ router }) => router);
  for (const [path, interval] of directories) {
    const state = absent.includes(path) ? ' (not there)' : '';
    lines.push(`routes      ${shownPath(path)}${state}, ${pace(interval, watch)}`);
  }
  for (const [router, own] of routes) {
    const width = Math.min(40, Math.max(...own.map(({ name }) => name.length)));
    lines.push(`router      ${router}, ${own.length} route${own.length === 1 ? '' : 's'} in this order:`);
    for (const { id, name } of own.slice(0, most)) {
      const key = `${router}\n${id}`;
      const verdict = byRoute.get(key);
      const condition = verdict?.route?.condition ?? 'every request';
      const remark = remarks[refusing.has(key) ? 'refuses' : (verdict?.serves ?? 'this')];
      lines.push(`  ${printable(`${name.padEnd(width)}  ${condition}`)}${remark}`);
    }
    if (own.length > most) lines.push(`  … and ${own.length - most} more: see 'gatewarden routes'`);
  }
  const unloaded = verdicts.filter(({ role, serves }) => role === 'route' && serves === 'nothing');
  for (const { file } of unloaded.slice(0, most)) lines.push(`NOT LOADED  ${shownPath(file.path)}`);
  return lines;
}

const remarks = {
  this: '',
  'last-good': '  [last good version]',
  refuses: '  [refuses]',
  nothing: '',
  waits: '',
} as const;

function pace(interval: number, watch: boolean): string {
  if (watch) return 'changes take effect at once';
  return interval === 0 ? 'read once, and at SIGHUP' : `checked every ${interval / 1000} s`;
}
