import { isBuiltin } from 'node:module';
import type { Plugin } from 'rolldown';
import { parseSync, Visitor } from 'rolldown/utils';

/** Names that `loader/program-files.ts` gives to the code of a file. */
const PARAMETERS = '$exports,$load,$import,$url';

/** Forms in which the bundler writes statements, before it makes them short. */
const IMPORT = /^import (?:(?:(\* as )?([\w$]+)(?:, )?)?(?:\{([^}]*)\})? from )?"([^"]+)";?$/;
const EXPORT = /^export \{([^}]*)\}(?: from "([^"]+)")?;?$/;
const EXPORT_DEFAULT = 'export default ';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Turns the modules of a bundle into bodies of functions, because programs can hand compiled code to V8 for scripts only.
 * An imported name becomes a constant of the file, as fast as an import. Exported variables that change are refused.
 */
export const asScripts: Plugin = {
  name: 'as-scripts',
  renderChunk(code, { fileName }) {
    const { program, module, errors } = parseSync(fileName, code, { lang: 'js', sourceType: 'module' });
    if (errors.length > 0) throw new Error(`${fileName} cannot be parsed: ${errors[0]!.message}`);
    refuseChanging(fileName, program);
    const edits: Edit[] = [];
    const getters: string[] = [];
    for (const { type, start, end } of program.body) {
      const statement = code.slice(start, end);
      if (type === 'ImportDeclaration') edits.push({ start, end, text: importText(statement) });
      else if (type.startsWith('Export')) edits.push({ start, end, text: exportText(statement, getters) });
    }
    if (getters.length > 0) edits.push({ start: 0, end: 0, text: `$exports({ ${getters.join(', ')} });\n` });
    for (const { start, end, moduleRequest } of module.dynamicImports) {
      edits.push({ start, end, text: `$import(${code.slice(moduleRequest.start, moduleRequest.end)})` });
    }
    for (const { start, end } of module.importMetas) {
      if (!code.startsWith('.url', end))
        throw new Error(`${fileName} uses import.meta for something else than its url`);
      edits.push({ start, end: end + '.url'.length, text: '$url' });
    }
    return edited(code, edits);

    /** Modules of Node.js are taken as they are: an import statement reads all that they export, which loads more. */
    function importText(statement: string): string {
      const [, isAll, whole, list, from] = IMPORT.exec(statement) ?? [];
      if (from === undefined) throw unknown(statement);
      const isNode = isBuiltin(from);
      const source = isNode ? `process.getBuiltinModule("node:${from.replace(/^node:/, '')}")` : `$load("${from}")`;
      const taken: string[] = [];
      if (whole !== undefined) taken.push(isNode || isAll !== undefined ? whole : `{ default: ${whole} }`);
      if (list !== undefined) taken.push(`{${list.replaceAll(' as ', ': ')}}`);
      if (taken.length === 0) return isNode ? '' : `${source};`;
      return taken.map((name) => `const ${name} = ${source};`).join('\n');
    }

    /** @param getters gets one for each name */
    function exportText(statement: string, getters: string[]): string {
      if (statement.startsWith(EXPORT_DEFAULT)) {
        getters.push('get default() { return $default; }');
        return `const $default = ${statement.slice(EXPORT_DEFAULT.length)}`;
      }
      const [, list, from] = EXPORT.exec(statement) ?? [];
      if (list === undefined) throw unknown(statement);
      const source = from === undefined ? '' : `$load("${from}")`;
      for (const one of list.split(',')) {
        const [own, exported = own] = one.trim().split(' as ');
        getters.push(`get ${exported}() { return ${source === '' ? own : `${source}.${own}`}; }`);
      }
      return source === '' ? '' : `${source};`;
    }

    function unknown(statement: string): Error {
      return new Error(`${fileName} has a statement that scripts cannot have: ${statement.slice(0, 80)}`);
    }
  },
};

/** The text of a script that is a function, from its body. @param waits whether it has an await of its own */
export function scriptText(body: string, waits: boolean): string {
  return `(${waits ? 'async ' : ''}function(${PARAMETERS}){"use strict";${body}\n})`;
}

type Program = ReturnType<typeof parseSync>['program'];

/** @throws Error when a file exports a variable that something of the file sets again */
function refuseChanging(fileName: string, program: Program): void {
  const set = new Set<string>();
  const note = ({ type, ...target }: { readonly type: string; readonly name?: unknown }): void => {
    if (type === 'Identifier') set.add(String(target.name));
  };
  const visitor = new Visitor({
    AssignmentExpression: ({ left }) => note(left),
    UpdateExpression: ({ argument }) => note(argument),
    ForOfStatement: ({ left }) => note(left),
    ForInStatement: ({ left }) => note(left),
  });
  visitor.visit(program);
  const exported = new Set<string>();
  const changing: string[] = [];
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration') continue;
    for (const { local } of statement.specifiers) if (local.type === 'Identifier') exported.add(local.name);
  }
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration' || statement.kind === 'const') continue;
    for (const { id } of statement.declarations) {
      if (id.type === 'Identifier' && exported.has(id.name) && set.has(id.name)) changing.push(id.name);
    }
  }
  if (changing.length > 0) throw new Error(`${fileName} exports variables that change: ${changing.join(', ')}`);
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = '';
  let at = 0;
  for (const { start, end, text: inserted } of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    text += code.slice(at, start) + inserted;
    at = end;
  }
  return text + code.slice(at);
}
