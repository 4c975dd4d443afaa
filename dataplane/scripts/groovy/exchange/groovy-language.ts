import { type ScriptCompiler, type ScriptKind, ScriptMistake } from '../../script-language.ts';
import type { CompiledScript } from '../compile/compile-script.ts';
import { ownVariables } from '../gateway-script.ts';
import { compiledGroovy, GroovyLive } from './groovy-live.ts';

/** Groovy, compiled by the gateway itself. */
export const groovy: ScriptCompiler = {
  compile(text) {
    const script = compiledGroovy(text);
    return {
      open: (setting) => new GroovyLive(script, text, setting),
      missing: (kind, isGiven) => missingVariable(script, kind, isGiven),
    };
  },
  argumentProblem: (kind, name) =>
    ownVariables[kind].includes(name) ? 'has the name of a variable of the gateway' : null,
};

/** Variables of OpenIG scripts: those of some kind of script here, and those that no script has. */
const KNOWN: ReadonlySet<string> = new Set([...Object.values(ownVariables).flat(), 'ldap', 'exchange', 'config']);

/** The first variable that a script of this kind needs and nothing gives it, or null. */
function missingVariable(
  { open }: CompiledScript,
  kind: ScriptKind,
  isGiven: (name: string) => boolean,
): ScriptMistake | null {
  for (const [name, { line, column }] of open)
    if (KNOWN.has(name) && !ownVariables[kind].includes(name) && !isGiven(name))
      return new ScriptMistake(`the variable ${name} is not available`, line, column);
  return null;
}
