/** Content types by the ending of a file's name. */
const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['css', 'text/css; charset=UTF-8'],
  ['csv', 'text/csv; charset=UTF-8'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['htm', 'text/html; charset=UTF-8'],
  ['html', 'text/html; charset=UTF-8'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript; charset=UTF-8'],
  ['json', 'application/json'],
  ['map', 'application/json'],
  ['md', 'text/markdown; charset=UTF-8'],
  ['mjs', 'text/javascript; charset=UTF-8'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['otf', 'font/otf'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['tar', 'application/x-tar'],
  ['ttf', 'font/ttf'],
  ['txt', 'text/plain; charset=UTF-8'],
  ['wasm', 'application/wasm'],
  ['webm', 'video/webm'],
  ['webmanifest', 'application/manifest+json'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['xhtml', 'application/xhtml+xml'],
  ['xml', 'application/xml'],
  ['yaml', 'application/yaml'],
  ['yml', 'application/yaml'],
  ['zip', 'application/zip'],
]);

/** The content type of a file with this name; bytes of no known kind where its ending tells nothing. */
export function contentTypeOf(name: string): string {
  const dot = name.lastIndexOf('.');
  const ending = dot < 0 ? '' : name.slice(dot + 1).toLowerCase();
  return BY_ENDING.get(ending) ?? 'application/octet-stream';
}
