/** How a text is written in the charset of a Content-Type: the encoding, and what stands for what it cannot hold. */
const ENCODINGS: ReadonlyMap<string, { readonly encoding: BufferEncoding; readonly beyond: RegExp | null }> = new Map([
  ['utf-8', { encoding: 'utf8', beyond: null }],
  ['utf8', { encoding: 'utf8', beyond: null }],
  ['utf-16le', { encoding: 'utf16le', beyond: null }],
  ['iso-8859-1', { encoding: 'latin1', beyond: /[^\0-\xff]/gu }],
  ['latin1', { encoding: 'latin1', beyond: /[^\0-\xff]/gu }],
  ['us-ascii', { encoding: 'latin1', beyond: /[^\0-\x7f]/gu }],
]);

/** Whether texts can be written for this Content-Type: it names no charset, or one that is known. */
export function isWritable(contentType: string): boolean {
  const charset = charsetOf(contentType);
  return charset === null || ENCODINGS.has(charset);
}

/** A text in the charset that the Content-Type names, by default UTF-8. @throws for a charset that is not known. */
export function encodeText(text: string, contentType: string | null): Buffer {
  const charset = contentType === null ? null : charsetOf(contentType);
  const found = ENCODINGS.get(charset ?? 'utf-8');
  if (found === undefined) throw new Error(`texts cannot be written in the charset '${charset}'`);
  const { encoding, beyond } = found;
  return Buffer.from(beyond === null ? text : text.replace(beyond, '?'), encoding);
}

function charsetOf(contentType: string): string | null {
  const named = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType);
  return named === null ? null : named[1]!.toLowerCase();
}
