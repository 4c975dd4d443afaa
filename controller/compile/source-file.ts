/** A file as it was read. The same object is the same content. */
export interface SourceFile {
  readonly path: string;
  readonly content: Uint8Array;
  /** Why it could not be read; the content is then empty. */
  readonly fault?: string;
}

export function sameContent(a: SourceFile, b: SourceFile): boolean {
  return a === b || (a.path === b.path && a.fault === b.fault && Buffer.compare(a.content, b.content) === 0);
}
