import { maskCode } from './mask.ts';
import { isTypeScriptIn, lineAt, type SourceFile } from './source-file.ts';

const switchedOff =
  /\.(?:skip|only|todo|fails|skipIf|runIf)\s*(?=[(<.`])|\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(/g;
/** Pauses under 100 ms are left to tests that pace a slow peer. */
const sleep =
  /\bsetTimeout\s*\(\s*(?:\w+\s*,\s*)?\d[\d_]{2,}\s*[,)]|\b(?:sleep|delay|pause|wait)\s*\(\s*\d[\d_]{2,}\s*[,)]/g;
/** Those of vitest.config.ts are far longer than any test takes; a shorter one fails a test on a busy machine. */
const ownTimeout =
  /\b(?:testTimeout|hookTimeout)\s*:|\{\s*timeout\s*:\s*[\d_]+,?\s*\}\s*,\s*(?:async\s*)?(?:\(|\w+\s*=>)/g;
const fixedPort =
  /\.listen\s*\(\s*(?:\{[^}]*\bport\s*:\s*)?[1-9]\d*|\b(?:connect|createConnection)\s*\(\s*(?:\{[^}]*\bport\s*:\s*)?[1-9]\d*/g;

/** Tests that do not run, wait for time instead of an event, or fight over a port. */
export function testHygieneBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isTypeScriptIn(file, ['test']))
    .flatMap((file) => [
      ...findings(file, switchedOff, 'switches a test off or all others'),
      ...findings(file, sleep, 'sleeps; wait for what should happen'),
      ...findings(file, ownTimeout, 'sets a time-out of its own; use that of the project'),
      ...findings(file, fixedPort, 'uses a fixed port; use port 0'),
    ]);
}

function findings(file: SourceFile, pattern: RegExp, verdict: string): string[] {
  return [...maskCode(file.text).matchAll(pattern)].map(
    (match) => `${file.path}:${lineAt(file.text, match.index)} ${match[0].trim()} ${verdict}`,
  );
}
