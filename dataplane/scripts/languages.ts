import { LatePart } from '../../contract/document/late-part.ts';
import type { ScriptCompiler, ScriptLanguage } from './script-language.ts';

/** A language whose compiler and library are loaded with the first script. */
interface LateLanguage extends ScriptLanguage {
  readonly code: LatePart<ScriptCompiler>;
}

/** @param load imports the compiler, and makes it ready */
function late(
  name: string,
  facts: Omit<ScriptLanguage, keyof ScriptCompiler>,
  load: () => Promise<ScriptCompiler>,
): LateLanguage {
  const code = new LatePart(name, load);
  return {
    ...facts,
    code,
    compile: (text) => code.now.compile(text),
    argumentProblem: (kind, argument) => code.now.argumentProblem(kind, argument),
  };
}

/** Languages of scripts. Nothing else imports their code, which most data planes never need. */
const languages: readonly LateLanguage[] = [
  late('Groovy', { mediaTypes: ['application/x-groovy'], folder: 'groovy' }, async () => {
    const { groovy } = await import('./groovy/exchange/groovy-language.ts');
    return groovy;
  }),
  late('JavaScript', { mediaTypes: ['application/javascript', 'text/javascript'], folder: 'javascript' }, async () => {
    const { javascript, ready } = await import('./javascript/javascript-language.ts');
    await ready();
    return javascript;
  }),
];

/** Values of `type`. */
export const mediaTypes: readonly string[] = languages.flatMap((language) => language.mediaTypes);

/** The language of a media type, or null. */
export function languageOf(mediaType: string): ScriptLanguage | null {
  return lateLanguageOf(mediaType);
}

function lateLanguageOf(mediaType: string): LateLanguage | null {
  return languages.find((language) => language.mediaTypes.includes(mediaType.toLowerCase())) ?? null;
}

/** The code that an object with this configuration needs; that of all languages where `type` does not say it plainly. */
export function scriptParts(config: unknown): readonly LatePart<unknown>[] {
  const { type } = (typeof config === 'object' && config !== null ? config : {}) as { readonly type?: unknown };
  const language = typeof type === 'string' ? lateLanguageOf(type) : null;
  return language === null ? languages.map(({ code }) => code) : [language.code];
}
