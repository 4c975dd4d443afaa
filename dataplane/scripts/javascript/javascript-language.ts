import type { ScriptCompiler } from '../script-language.ts';
import { JavaScriptLive } from './javascript-live.ts';
import { argumentProblem, compilersReady, readableScript } from './script-text.ts';

/** Loads QuickJS; scripts are compiled only after that. */
export async function ready(): Promise<void> {
  await compilersReady();
}

/** JavaScript, run by QuickJS. */
export const javascript: ScriptCompiler = {
  compile(text) {
    readableScript(text);
    return { open: (setting) => new JavaScriptLive(text, setting) };
  },
  argumentProblem,
};
