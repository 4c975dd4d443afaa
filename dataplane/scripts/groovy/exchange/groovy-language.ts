import type { ScriptCompiler } from '../../script-language.ts';
import { ownVariables } from '../gateway-script.ts';
import { compiledGroovy, GroovyLive } from './groovy-live.ts';

/** Groovy, compiled by the gateway itself. */
export const groovy: ScriptCompiler = {
  compile(text) {
    const script = compiledGroovy(text);
    return { open: (setting) => new GroovyLive(script, text, setting) };
  },
  argumentProblem: (kind, name) =>
    ownVariables[kind].includes(name) ? 'has the name of a variable of the gateway' : null,
};
