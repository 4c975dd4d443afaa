import { dirname } from 'node:path';
import { importsOf } from './imports/imports.ts';
import { isTypeScript, isTypeScriptIn, programFolders, type SourceFile } from './source-file.ts';

/** A newcomer reads the names of a folder in one look up to about here. */
const MOST_FILES = 30;

/** Folders with more source files than a newcomer can take in. */
export function crowdedRooms(files: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files.filter(isTypeScript)) {
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(
      ([room, count]) => `${room}/ holds ${count} files: give some of them a room of their own (at most ${MOST_FILES})`,
    );
}

/** Files that import each other, directly or through others, each circle as one line. Types count: a reader follows them too. */
export function importCircles(files: readonly SourceFile[]): string[] {
  const sources = files.filter((file) => isTypeScriptIn(file, programFolders));
  const targets = new Map(
    sources.map((file) => [
      file.path,
      importsOf(file).flatMap(({ target }) => (target === undefined || target === file.path ? [] : [target])),
    ]),
  );
  return stronglyConnected(targets)
    .filter((circle) => circle.length > 1)
    .map((circle) => circle.sort().join(', '));
}

/** Groups of which every member reaches every other (Tarjan). */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const groups: string[][] = [];
  const visit = (node: string): void => {
    order.set(node, order.size);
    lowest.set(node, order.get(node)!);
    open.push(node);
    isOpen.add(node);
    for (const next of edges.get(node) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (isOpen.has(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const group = open.splice(open.indexOf(node));
    for (const member of group) isOpen.delete(member);
    groups.push(group);
  };
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return groups;
}
