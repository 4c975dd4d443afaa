import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { JsonObject } from '../../contract/document/json-value.ts';
import type { TokenSources } from '../../contract/document/token-resolver.ts';
import type { Checker } from './checker.ts';
import { documentResolver } from './resolve-document.ts';
import type { SourceFile } from './source-file.ts';
import { hasErrors, type Verdict } from './verdict.ts';

/** Result of compiling `admin.json`. */
export interface CompiledAdmin {
  /** With its tokens and properties resolved; empty when there is none to read. */
  readonly document: JsonObject;
  /** Null when it is not sound. */
  readonly settings: AdminSettings | null;
  /** Null when there is no file. */
  readonly verdict: Verdict | null;
}

/** Reads `admin.json`; without one the defaults hold. */
export function compileAdmin(file: SourceFile | null, checker: Checker, tokens: TokenSources): CompiledAdmin {
  if (file === null) return { document: {}, settings: checker.admin({}).settings, verdict: null };
  const resolve = documentResolver(tokens, (text, constants) => checker.evaluate(text, constants));
  const { document, problems, told } = resolve(file, null);
  const judged = document === null ? null : checker.admin(document);
  const all = [...problems, ...told(judged?.problems ?? [])];
  const isSound = !hasErrors(all);
  return {
    document: document ?? {},
    settings: isSound ? (judged?.settings ?? null) : null,
    verdict: { file, role: 'admin', serves: isSound ? 'this' : 'nothing', problems: all, route: null },
  };
}
