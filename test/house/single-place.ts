import { isTypeScriptIn, lineAt, programFolders, type SourceFile } from './source-file.ts';

/** Code that many need and that is written once. */
const PLACES = [
  {
    place: 'platform/error-text.ts',
    name: 'errorText',
    code: /\binstanceof Error\s*\?\s*\(?\w+\.(?:message|stack)\b/g,
  },
  { place: 'platform/back-off.ts', name: 'pauseAfter', code: /\* 2 \*\* .*\b(?:failures|attempts?|tries)\b/g },
  { place: 'platform/error-code.ts', name: 'errorCode', code: /\binstanceof Error\s*&&\s*'code' in\b/g },
  {
    place: 'contract/vocabulary/rules-about.ts',
    name: 'rulesAbout',
    code: /\.check\(\s*(?:[\w.]+\([^()]*\),\s*)*\(\{ value\b/g,
  },
];

/** Copies of code that has its place. */
export function copiedCode(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, programFolders))
    .flatMap(({ path, text }) =>
      PLACES.filter(({ place }) => place !== path).flatMap(({ place, name, code }) =>
        [...text.matchAll(code)].map((match) => `${path}:${lineAt(text, match.index)} copies ${name} of ${place}`),
      ),
    );
}
