import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { TokenSources } from '../../contract/document/token-resolver.ts';
import type { Checker } from './checker.ts';
import { documentResolver } from './resolve-document.ts';
import type { SourceFile } from './source-file.ts';
import { hasErrors, type Verdict } from './verdict.ts';

/** What came of `admin.json`. */
export interface CompiledAdmin {
  /** Null when it is not sound. */
  readonly settings: AdminSettings | null;
  /** Null when there is no file. */
  readonly verdict: Verdict | null;
}

/** Reads `admin.json`; without one the defaults hold. */
export function compileAdmin(file: SourceFile | null, checker: Checker, tokens: TokenSources): CompiledAdmin {
  if (file === null) return { settings: checker.admin({}).settings, verdict: null };
  const resolve = documentResolver(tokens, (text, constants) => checker.evaluate(text, constants));
  const { document, problems, told } = resolve(file, null);
  const judged = document === null ? null : checker.admin(document);
  const all = [...problems, ...told(judged?.problems ?? [])];
  const isSound = !hasErrors(all);
  return {
    settings: isSound ? (judged?.settings ?? null) : null,
    verdict: { file, role: 'admin', serves: isSound ? 'this' : 'nothing', problems: all, route: null },
  };
}
