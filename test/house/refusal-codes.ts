import { isTypeScriptIn, lineAt, type SourceFile } from './source-file.ts';

/** The rooms of objects that a configuration declares: they refuse through `denials`, which asks for a code. */
const ROOMS = [
  'filters',
  'handlers',
  'oauth2',
  'throttling',
  'decorators',
  'backends',
  'services',
  'secrets',
  'routes',
];
/** An answer whose status is not plainly one of success or redirection. */
const answer = /new Response\((?!\)|[123]\d\d\b)[^\n]*/g;
/** A status that an answer is given afterwards. */
const changed = /\bstatus = [45]\d\d\b[^\n]*/g;
/** Files whose answers have the status that a configuration or a file asks for. */
const ASKED_FOR = new Set(['dataplane/handlers/static-response.ts', 'dataplane/handlers/resource.ts']);

/** Answers of filters and handlers that refuse a request without a code of docs/errors.md. */
export function refusalCodeBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      (file) =>
        isTypeScriptIn(
          file,
          ROOMS.map((room) => `dataplane/${room}`),
        ) && !ASKED_FOR.has(file.path),
    )
    .flatMap(({ path, text }) =>
      [...text.matchAll(answer), ...text.matchAll(changed)].map(
        (match) => `${path}:${lineAt(text, match.index)} refuses without a code: use denials() of heap/denials.ts`,
      ),
    );
}
