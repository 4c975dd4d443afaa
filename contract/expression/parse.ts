import { ValueProblem } from '../problem.ts';
import type { BinaryOperator, SyntaxNode } from './syntax.ts';
import { syntaxProblem, type Token, tokenAt } from './token.ts';
import type { Value } from './value.ts';

/** The longest expression that is read, in characters. */
export const MOST_SOURCE = 65_536;
/** How deep parentheses, operators in front and alternatives may be nested. */
export const MOST_NESTING = 250;
/** How deep the resulting tree may be, which also bounds chains such as `a and b and c`. */
export const MOST_DEPTH = 1000;

/** Operators from the loosest to the tightest. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['==', '!='],
  ['<', '>', '<=', '>='],
  ['+', '-'],
  ['*', '/', '%'],
];

/** Reads text with `${…}` or `#{…}` in it. @throws ValueProblem that says what is wrong and where. */
export function parseExpression(source: string): SyntaxNode {
  if (!source.includes('${') && !source.includes('#{')) return literalNode(source);
  if (source.length > MOST_SOURCE) {
    throw new ValueProblem('expression', `is ${source.length} characters long, more than the ${MOST_SOURCE} allowed`);
  }
  return new Parser(source).text();
}

class Parser {
  private readonly source: string;
  private token: Token = { kind: 'end', offset: 0, end: 0 };
  private nesting = 0;
  private readonly depths = new WeakMap<SyntaxNode, number>();

  constructor(source: string) {
    this.source = source;
  }

  /** Text outside of braces stands for itself, and a backslash before them makes them text as well. */
  text(): SyntaxNode {
    const { source } = this;
    const parts: SyntaxNode[] = [];
    let literal = '';
    let mark: string | null = null;
    let at = 0;
    while (at < source.length) {
      const opens = (source[at] === '$' || source[at] === '#') && source[at + 1] === '{';
      if (!opens) {
        literal += source[at++];
      } else if (literal.endsWith('\\') && at > 0 && source[at - 1] === '\\') {
        literal = `${literal.slice(0, -1)}${source[at]}{`;
        at += 2;
      } else {
        if (mark !== null && mark !== source[at]) {
          throw syntaxProblem(at, '${…} and #{…} cannot be mixed in one text, as is done');
        }
        mark = source[at]!;
        if (literal !== '') parts.push(literalNode(literal));
        literal = '';
        parts.push(this.braces(at + 2));
        at = this.token.end;
      }
    }
    if (mark === null) return literalNode(literal);
    if (literal !== '') parts.push(literalNode(literal));
    return parts.length === 1 ? parts[0]! : this.grown({ kind: 'joined', parts }, parts);
  }

  private braces(from: number): SyntaxNode {
    this.token = tokenAt(this.source, from);
    const node = this.expression();
    if (!this.at('}')) throw this.unexpected("an operator or the closing '}'");
    return node;
  }

  private expression(): SyntaxNode {
    this.enter();
    const condition = this.binary(0);
    let node = condition;
    if (this.take('?')) {
      const yes = this.expression();
      if (!this.take(':')) throw this.unexpected("':' and the other alternative");
      const no = this.expression();
      node = this.grown({ kind: 'choice', condition, yes, no }, [condition, yes, no]);
    }
    this.nesting--;
    return node;
  }

  private binary(level: number): SyntaxNode {
    const operators = LEVELS[level];
    if (operators === undefined) return this.unary();
    let left = this.binary(level + 1);
    while (this.token.kind === 'operator' && operators.includes(this.token.operator)) {
      const { operator } = this.token;
      this.next();
      const right = this.binary(level + 1);
      left = this.grown({ kind: 'binary', operator, left, right }, [left, right]);
    }
    return left;
  }

  private unary(): SyntaxNode {
    const { token } = this;
    const operator =
      token.kind === 'word' && token.word !== 'instanceof'
        ? token.word
        : token.kind === 'operator' && token.operator === '-'
          ? 'negate'
          : null;
    if (operator === null) return this.value();
    this.enter();
    this.next();
    const operand = this.unary();
    this.nesting--;
    return this.grown({ kind: 'unary', operator, operand }, [operand]);
  }

  private value(): SyntaxNode {
    let node = this.beginning();
    for (;;) {
      let key: SyntaxNode;
      if (this.take('.')) {
        key = literalNode(this.memberName());
      } else if (this.take('[')) {
        key = this.expression();
        if (!this.take(']')) throw this.unexpected("']'");
      } else {
        return node;
      }
      if (this.at('(')) {
        const given = this.given();
        node = this.grown({ kind: 'method', base: node, name: key, given }, [node, key, ...given]);
      } else {
        node = this.grown({ kind: 'access', base: node, key }, [node, key]);
      }
    }
  }

  private beginning(): SyntaxNode {
    const { token } = this;
    if (token.kind === 'literal') {
      this.next();
      return literalNode(token.value);
    }
    if (token.kind === 'name') return this.nameOrCall(token.name, token.offset);
    if (!this.take('(')) throw this.unexpected('a value');
    const node = this.expression();
    if (!this.take(')')) throw this.unexpected("')'");
    return node;
  }

  private nameOrCall(name: string, offset: number): SyntaxNode {
    this.next();
    if (this.at(':') && this.isQualifiedCall()) {
      this.next();
      const local = this.memberName();
      const given = this.given();
      return this.grown({ kind: 'call', name: `${name}:${local}`, given, offset }, given);
    }
    if (!this.at('(')) return { kind: 'root', name };
    const given = this.given();
    return this.grown({ kind: 'call', name, given, offset }, given);
  }

  /** `a:b(` is a function of a library, as in OpenIG, even after a `?`. */
  private isQualifiedCall(): boolean {
    const name = tokenAt(this.source, this.token.end);
    if (name.kind !== 'name') return false;
    const opening = tokenAt(this.source, name.end);
    return opening.kind === 'mark' && opening.mark === '(';
  }

  private given(): SyntaxNode[] {
    this.take('(');
    const given: SyntaxNode[] = [];
    if (this.take(')')) return given;
    do given.push(this.expression());
    while (this.take(','));
    if (!this.take(')')) throw this.unexpected("',' or ')'");
    return given;
  }

  private memberName(): string {
    const { token } = this;
    if (token.kind === 'name') {
      this.next();
      return token.name;
    }
    const word = this.source.slice(token.offset, token.end);
    if (!/^\p{L}+$/u.test(word)) throw this.unexpected('a name');
    this.next();
    return word; // after '.' no operator and no literal can stand, so that a word of the language is a name there
  }

  private at(mark: string): boolean {
    return this.token.kind === 'mark' && this.token.mark === mark;
  }

  private take(mark: string): boolean {
    if (!this.at(mark)) return false;
    this.next();
    return true;
  }

  private next(): void {
    this.token = tokenAt(this.source, this.token.end);
  }

  private enter(): void {
    if (++this.nesting > MOST_NESTING) {
      throw syntaxProblem(this.token.offset, `nested deeper than the ${MOST_NESTING} levels allowed`);
    }
  }

  private grown(node: SyntaxNode, children: readonly SyntaxNode[]): SyntaxNode {
    let depth = 1;
    for (const child of children) depth = Math.max(depth, 1 + (this.depths.get(child) ?? 1));
    if (depth > MOST_DEPTH)
      throw syntaxProblem(this.token.offset, `more than ${MOST_DEPTH} operations follow each other`);
    this.depths.set(node, depth);
    return node;
  }

  private unexpected(wanted: string): ValueProblem {
    const { token, source } = this;
    const found = token.kind === 'end' ? 'the end' : `'${source.slice(token.offset, token.end)}'`;
    return syntaxProblem(token.offset, `expected ${wanted} but found ${found}`);
  }
}

function literalNode(value: Value): SyntaxNode {
  return { kind: 'literal', value };
}
