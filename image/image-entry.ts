/** A file, folder or link of the image. All belong to root and carry the same time. */
export type ImageEntry =
  | { readonly kind: 'folder'; readonly path: string; readonly mode: number }
  | { readonly kind: 'file'; readonly path: string; readonly mode: number; readonly content: Uint8Array }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

export function textFile(path: string, text: string): ImageEntry {
  return { kind: 'file', path, mode: 0o644, content: Buffer.from(text) };
}

/** The entries with every folder that they lie in, in the order of their paths, each path once. */
export function withFolders(entries: readonly ImageEntry[]): readonly ImageEntry[] {
  const byPath = new Map<string, ImageEntry>();
  for (const entry of entries) {
    if (byPath.has(entry.path)) throw new Error(`${entry.path} would be in the image twice`);
    byPath.set(entry.path, entry);
  }
  for (const { path } of entries) {
    const names = path.split('/').slice(0, -1);
    for (let count = names.length; count > 0; count--) {
      const folder = names.slice(0, count).join('/');
      if (!byPath.has(folder)) byPath.set(folder, { kind: 'folder', path: folder, mode: 0o755 });
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
