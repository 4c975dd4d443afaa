import { compilePattern, type Pattern } from '../../contract/pattern/pattern.ts';
import { ValueProblem } from '../../contract/problem.ts';

/** Applies a template, such as `$1`, to the first match in a text; null when there is none. */
export function fillFromMatch(text: string, pattern: Pattern, template: string | undefined): string | null {
  const match = pattern.exec(text);
  if (match === null) return null;
  if (template === undefined) return text.slice(match.index, match.end);
  // the text with its first match replaced holds, in that place, the template filled in
  const replaced = pattern.replaceFirst(text, template);
  return replaced.slice(match.index, replaced.length - (text.length - match.end));
}

/** Why a template does not go with a pattern, or null: without this, the first match would tell. */
export function templateFault({ source }: Pattern, template: string): string | null {
  try {
    // the same groups, in a pattern that is found in every text; the line break ends what could be a comment
    compilePattern(`(?:${source}\n)|`, 'bounded').replaceFirst('', template);
  } catch (error) {
    if (error instanceof ValueProblem) return error.message;
    throw error;
  }
  return null;
}
