import type { Tree } from './syntax-tree.ts';

/** Facts about the matches of a pattern that are known without running it. */
export interface LiteralShape {
  /** Whether a match can only begin where the text begins. */
  readonly startsAtTextStart: boolean;
  /** A text with which every match begins; it may be empty. */
  readonly leading: string;
  /** Set if the pattern is `leading` and nothing else but where it may stand. */
  readonly exact: ExactShape | null;
}

/**
 * A pattern that is only a text. `end` says where it must end: anywhere, with the text, or with the text or before its
 * final line terminator (of which only `\n` is one for `final-end-unix`).
 */
export interface ExactShape {
  readonly end: 'anywhere' | 'text-end' | 'final-end' | 'final-end-unix';
  /** Whether something may follow that takes characters but need not. */
  readonly hasTail: boolean;
}

export function literalShape(tree: Tree): LiteralShape {
  const { text } = leadingLiteral(tree);
  // Half of a surrogate pair would be found inside of one, where no character begins.
  const leading = text.isWellFormed() ? text : '';
  return { startsAtTextStart: startsAtTextStart(tree), leading, exact: leading === text ? exactShape(tree) : null };
}

interface Leading {
  readonly text: string;
  /** Whether the text is all that the tree takes. */
  readonly isAll: boolean;
}

function leadingLiteral(tree: Tree): Leading {
  switch (tree.kind) {
    case 'set':
      return tree.set.length === 2 && tree.set[0] === tree.set[1]
        ? { text: String.fromCodePoint(tree.set[0]!), isAll: true }
        : { text: '', isAll: false };
    case 'sequence': {
      let text = '';
      for (const item of tree.items) {
        const next = leadingLiteral(item);
        text += next.text;
        if (!next.isAll) return { text, isAll: false };
      }
      return { text, isAll: true };
    }
    case 'choice':
      return { text: tree.items.map((item) => leadingLiteral(item).text).reduce(commonStart), isAll: false };
    case 'group':
    case 'atomic':
      return leadingLiteral(tree.body);
    case 'repeat':
      return { text: tree.min > 0 ? leadingLiteral(tree.body).text : '', isAll: false };
    case 'reference':
      return { text: '', isAll: false };
    default:
      return { text: '', isAll: true };
  }
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

function startsAtTextStart(tree: Tree): boolean {
  switch (tree.kind) {
    case 'assertion':
      return tree.assertion === 'text-start';
    case 'sequence': {
      const first = tree.items.find(({ kind }) => kind !== 'empty');
      return first !== undefined && startsAtTextStart(first);
    }
    case 'choice':
      return tree.items.every(startsAtTextStart);
    case 'group':
    case 'atomic':
      return startsAtTextStart(tree.body);
    case 'repeat':
      return tree.min > 0 && startsAtTextStart(tree.body);
    default:
      return false;
  }
}

function exactShape(tree: Tree): ExactShape | null {
  const parts = flatten(tree);
  let at = parts[0]?.kind === 'assertion' && parts[0].assertion === 'text-start' ? 1 : 0;
  while (parts[at]?.kind === 'set' && leadingLiteral(parts[at]!).isAll) at++;
  const rest = parts.slice(at);
  if (rest.length === 0) return { end: 'anywhere', hasTail: false };
  if (rest.every(canBeNothing)) return { end: 'anywhere', hasTail: true };
  const last = rest[0]!;
  if (rest.length > 1 || last.kind !== 'assertion') return null;
  const { assertion } = last;
  if (assertion !== 'text-end' && assertion !== 'final-end' && assertion !== 'final-end-unix') return null;
  return { end: assertion, hasTail: false };
}

/** The parts that follow each other, groups opened. */
function flatten(tree: Tree): Tree[] {
  if (tree.kind === 'sequence') return tree.items.flatMap(flatten);
  if (tree.kind === 'group') return flatten(tree.body);
  return tree.kind === 'empty' ? [] : [tree];
}

/** Whether a part lets every text pass, whatever it is. */
function canBeNothing(tree: Tree): boolean {
  switch (tree.kind) {
    case 'empty':
      return true;
    case 'sequence':
      return tree.items.every(canBeNothing);
    case 'choice':
      return tree.items.some(canBeNothing);
    case 'group':
    case 'atomic':
      return canBeNothing(tree.body);
    case 'repeat':
      return tree.min === 0 || canBeNothing(tree.body);
    default:
      return false;
  }
}
