import type { Budget } from '../values/java-class.ts';
import { parseClassBody } from './class-body.ts';
import { Cursor } from './cursor.ts';
import { parseExpression, parseStatementExpression } from './expressions.ts';
import { tokensOf } from './lexer.ts';
import type { Parsing } from './parsing.ts';
import { parseBlock, parseStatement, parseStatements, parseSwitch } from './statements.ts';
import type { ClassNode, ImportNode, MethodNode, ScriptNode, Statement } from './tree.ts';

/** Reads a script into its syntax tree; throws a ScriptError with line and column. */
export function parseScript(source: string, budget: Budget | null = null): ScriptNode {
  const text = source.replaceAll('\r\n', '\n');
  const p = parsing(new Cursor(tokensOf(text), text, null, budget));
  const { cursor } = p;
  const packageName = parsePackage(cursor);
  const statements = p.statements();
  if (cursor.token.kind !== 'end') cursor.unexpected();
  const is =
    <K extends Statement['kind']>(kind: K) =>
    (statement: Statement): statement is Extract<Statement, { kind: K }> =>
      statement.kind === kind;
  const imports: ImportNode[] = statements.filter(is('import'));
  const classes: ClassNode[] = statements.filter(is('class'));
  const methods: MethodNode[] = statements.filter(is('method'));
  const body = statements.filter(({ kind }) => kind !== 'import' && kind !== 'class' && kind !== 'method');
  return { packageName, imports, classes, methods, body };
}

function parsePackage(cursor: Cursor): string | null {
  const { kind, text } = cursor.peek();
  if (cursor.is(';') && kind !== 'end' && text !== ';')
    cursor.unsupported("a script that begins with one ';' is not supported");
  while (cursor.accept(';')) {}
  if (!cursor.accept('package')) return null;
  if (cursor.peek(0).kind !== 'name') cursor.unexpected();
  const parts = [cursor.next().text];
  while (cursor.accept('.')) parts.push(cursor.next().text);
  if (!cursor.accept(';') && !cursor.token.isAfterNewline && cursor.token.kind !== 'end') cursor.unexpected();
  return parts.join('.');
}

function parsing(cursor: Cursor): Parsing {
  const p: Parsing = {
    cursor,
    within: parsing,
    expression: () => parseExpression(p),
    statementExpression: () => parseStatementExpression(p),
    block: () => parseBlock(p),
    statements: () => parseStatements(p),
    statement: () => parseStatement(p),
    switchNode: (isValue) => parseSwitch(p, isValue),
    classBody: (name, form, modifiers, header) => parseClassBody(p, name, form, modifiers, header),
  };
  return p;
}
