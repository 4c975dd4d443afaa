import type { Reach } from '../../reach.ts';
import type { LanguageFunction, Refusal, Shapes } from '../language.ts';
import { certificateFunctions } from './certificate-functions.ts';
import { collectionFunctions } from './collection-functions.ts';
import { encodingFunctions } from './encoding-functions.ts';
import { fileFunctions } from './file-functions.ts';
import { ipFunctions } from './ip-match.ts';
import { patternFunctions } from './pattern-functions.ts';
import { textFunctions } from './text-functions.ts';
import { urlFunctions } from './url-functions.ts';

/** The functions of the language, and those that a document of this origin may not call. */
export interface FunctionTable {
  readonly functions: ReadonlyMap<string, LanguageFunction>;
  readonly refused: ReadonlyMap<string, Refusal>;
}

/** Every function that a document with this reach may call. */
export function functionTable(reach: Reach, shapes: Shapes): FunctionTable {
  const files = fileFunctions(reach);
  const mayReadFiles = reach.origin === 'operator';
  const functions = new Map<string, LanguageFunction>([
    ...textFunctions,
    ...patternFunctions,
    ...encodingFunctions,
    ...urlFunctions,
    ...collectionFunctions(shapes),
    ...ipFunctions,
    ...certificateFunctions,
    ...(mayReadFiles ? files : []),
  ]);
  const refused = new Map<string, Refusal>();
  if (!mayReadFiles) for (const [name] of files) refused.set(name, notAllowed(name));
  return { functions, refused };
}

function notAllowed(name: string): Refusal {
  return {
    code: 'not-allowed',
    message: `the function '${name}' reaches files, which only documents of the operator may do`,
  };
}
