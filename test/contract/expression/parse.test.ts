import { describe, expect, it } from 'vitest';
import { MOST_DEPTH, MOST_NESTING, MOST_SOURCE, parseExpression } from '../../../contract/expression/parse.ts';
import type { SyntaxNode } from '../../../contract/expression/syntax.ts';
import { ValueProblem } from '../../../contract/problem.ts';

/** A tree as text with every operation in parentheses. */
function shown(node: SyntaxNode): string {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? `'${node.value}'` : String(node.value);
    case 'root':
      return node.name;
    case 'access':
      return `${shown(node.base)}[${shown(node.key)}]`;
    case 'method':
      return `${shown(node.base)}.${shown(node.name)}(${node.given.map(shown)})`;
    case 'call':
      return `${node.name}(${node.given.map(shown)})`;
    case 'unary':
      return `(${node.operator} ${shown(node.operand)})`;
    case 'binary':
      return `(${shown(node.left)} ${node.operator} ${shown(node.right)})`;
    case 'choice':
      return `(${shown(node.condition)} ? ${shown(node.yes)} : ${shown(node.no)})`;
    case 'joined':
      return node.parts.map(shown).join(' ~ ');
  }
}

function problemOf(source: string): ValueProblem {
  try {
    parseExpression(source);
  } catch (error) {
    if (error instanceof ValueProblem) return error;
    throw error;
  }
  throw new Error(`${source} was accepted`);
}

describe('a tree', () => {
  it.each([
    ['${a or b and c}', '(a or (b and c))'],
    ['${a || b && c eq d}', '(a or (b and (c == d)))'],
    ['${a == b < c}', '(a == (b < c))'],
    ['${a < b + c * d}', '(a < (b + (c * d)))'],
    ['${a - b - c}', '((a - b) - c)'],
    ['${a div b mod c}', '((a / b) % c)'],
    ['${not empty a and !b}', '((not (empty a)) and (not b))'],
    ['${-a * b}', '((negate a) * b)'],
    ['${- - a}', '(negate (negate a))'],
    ['${a ? b : c ? d : e}', '(a ? b : (c ? d : e))'],
    ['${(a + b) * c}', '((a + b) * c)'],
    ['${a.b["c"][0].d(1, e)}', "a['b']['c'][0].'d'(1,e)"],
    ["${f(a, 'x')}", "f(a,'x')"],
    ['${f()}', 'f()'],
    ['${ a . b }', "a['b']"],
    ['${not empty a.empty and a.not.or.true}', "((not (empty a['empty'])) and a['not']['or']['true'])"],
    ['${a.empty(b)}', "a.'empty'(b)"],
    ['${a.empty ? b : c}', "(a['empty'] ? b : c)"],
    ['${$a_1 + é}', '($a_1 + é)'],
    ['#{a}', 'a'],
    ['x${a}y${b}', "'x' ~ a ~ 'y' ~ b"],
    ['plain', "'plain'"],
    ['', "''"],
    ['$a {b} #c', "'$a {b} #c'"],
    ['\\${a}', "'${a}'"],
    ['\\#{a}${b}', "'#{a}' ~ b"],
    ['a\\b\\\\${c}', "'a\\b\\${c}'"],
    ["${'it\\'s \\\\ \"'}", "'it's \\ \"'"],
    ['${"q\'"}', "'q''"],
    ["${'}'}", "'}'"],
  ])('of %s is %s', (source, tree) => {
    expect(shown(parseExpression(source))).toBe(tree);
  });

  it.each([
    ['${12}', 12n],
    ['${9223372036854775807}', 9223372036854775807n],
    ['${1.5}', 1.5],
    ['${.5}', 0.5],
    ['${1e2}', { value: 100 }],
    ['${1.}', { value: 1 }],
    ['${true}', true],
    ['${null}', null],
  ])('has %s as a literal', (source, value) => {
    expect(parseExpression(source)).toEqual({ kind: 'literal', value });
  });
});

describe('a problem', () => {
  it.each([
    ['${1+}', "expected a value but found '}' at character 5"],
    ['${}', "expected a value but found '}' at character 3"],
    ['${a', "expected an operator or the closing '}' but found the end at character 4"],
    ['${a b}', "expected an operator or the closing '}' but found 'b' at character 5"],
    ['${0x10}', "expected an operator or the closing '}' but found 'x10' at character 4"],
    ['x ${f(a}', "expected ',' or ')' but found '}' at character 8"],
    ['${a[1}', "expected ']' but found '}' at character 6"],
    ['${(a}', "expected ')' but found '}' at character 5"],
    ['${a ? b}', "expected ':' and the other alternative but found '}' at character 8"],
    ['${a.}', "expected a name but found '}' at character 5"],
    ['${a @ b}', "'@' means nothing in an expression at character 5"],
    ['${a & b}', "'&' means nothing in an expression at character 5"],
    ['${"a\\tb"}', "'\\t' is not an escape at character 5"],
    ["${'a}", "the text that begins here has no closing ': at character 3"],
    ['${instanceof}', "expected a value but found 'instanceof' at character 3"],
    ['${9223372036854775808}', 'the number 9223372036854775808 has more than 64 bits at character 3'],
    ['${a}#{b}', '${…} and #{…} cannot be mixed in one text, as is done at character 5'],
  ])('of %s reports the problem and its position', (source, message) => {
    expect(problemOf(source)).toMatchObject({ code: 'expression', message });
  });

  it.each([
    ["${request.method = 'GET'}", "write '=='"],
    ['${a | b}', "write '||'"],
    ["${find(a, '\\.b')}", "a backslash is written as \\\\, which is \\\\\\\\ in a JSON file, and a quote as \\'"],
  ])('of %s has a hint', (source, hint) => {
    expect(problemOf(source)).toMatchObject({ hint });
  });
});

describe('limits', () => {
  it.each([
    ['parentheses', (n: number) => `\${${'('.repeat(n)}1${')'.repeat(n)}}`],
    ['signs', (n: number) => `\${${'-'.repeat(n)}1}`],
    ['alternatives', (n: number) => `\${${'a ? b : '.repeat(n)}c}`],
    ['keys', (n: number) => `\${${'a['.repeat(n)}1${']'.repeat(n)}}`],
    ['calls', (n: number) => `\${${'f('.repeat(n)}1${')'.repeat(n)}}`],
  ])('hold for nested %s', (_, nested) => {
    expect(() => parseExpression(nested(MOST_NESTING - 1))).not.toThrow();
    expect(problemOf(nested(MOST_NESTING + 1)).message).toContain(`deeper than the ${MOST_NESTING} levels`);
    expect(problemOf(nested(6000)).message).toContain(`deeper than the ${MOST_NESTING} levels`);
  });

  it('hold for chains', () => {
    expect(() => parseExpression(`\${a${' + a'.repeat(MOST_DEPTH - 2)}}`)).not.toThrow();
    expect(problemOf(`\${a${' + a'.repeat(MOST_DEPTH)}}`).message).toContain(`more than ${MOST_DEPTH} operations`);
    expect(problemOf(`\${a${'.b'.repeat(MOST_DEPTH)}}`).message).toContain(`more than ${MOST_DEPTH} operations`);
  });

  it('hold for the length', () => {
    expect(() => parseExpression(`\${a}${'x'.repeat(MOST_SOURCE - 4)}`)).not.toThrow();
    expect(problemOf(`\${a}${'x'.repeat(MOST_SOURCE)}`).message).toContain('more than the 65536 allowed');
    expect(parseExpression('x'.repeat(9_000_000))).toMatchObject({ kind: 'literal' });
  });
});
