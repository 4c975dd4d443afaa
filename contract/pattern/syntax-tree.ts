import type { CodePoints } from './code-points.ts';
import type { CaseRule } from './letter-case.ts';
import type { Assertion } from './text-assertion.ts';

/** Syntax tree of a pattern, with its flags already applied. */
export type Tree =
  | { readonly kind: 'empty' }
  /** One character out of a set. */
  | { readonly kind: 'set'; readonly set: CodePoints }
  | { readonly kind: 'sequence'; readonly items: readonly Tree[] }
  | { readonly kind: 'choice'; readonly items: readonly Tree[] }
  | Repeat
  | { readonly kind: 'group'; readonly index: number; readonly body: Tree }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | Look
  | { readonly kind: 'atomic'; readonly body: Tree }
  | { readonly kind: 'reference'; readonly group: number; readonly caseRule: CaseRule };

export interface Repeat {
  readonly kind: 'repeat';
  readonly body: Tree;
  readonly min: number;
  /** Infinity where there is no limit. */
  readonly max: number;
  readonly greedy: boolean;
}

export interface Look {
  readonly kind: 'look';
  readonly direction: 'ahead' | 'behind';
  readonly negative: boolean;
  readonly body: Tree;
}

/** The fewest and the most characters that a tree can take. */
export interface Extent {
  readonly least: number;
  readonly most: number;
}

const nothing: Extent = { least: 0, most: 0 };

/** The extent of a tree; `known` remembers those of its parts. */
export function extentOf(tree: Tree, known: Map<Tree, Extent>): Extent {
  let extent = known.get(tree);
  if (extent === undefined) {
    extent = freshExtent(tree, known);
    known.set(tree, extent);
  }
  return extent;
}

function freshExtent(tree: Tree, known: Map<Tree, Extent>): Extent {
  switch (tree.kind) {
    case 'set':
      return { least: 1, most: 1 };
    case 'sequence':
      return tree.items
        .map((item) => extentOf(item, known))
        .reduce((sum, { least, most }) => ({ least: sum.least + least, most: sum.most + most }), nothing);
    case 'choice':
      return tree.items
        .map((item) => extentOf(item, known))
        .reduce((all, { least, most }) => ({ least: Math.min(all.least, least), most: Math.max(all.most, most) }));
    case 'repeat': {
      const { least, most } = extentOf(tree.body, known);
      return { least: least * tree.min, most: most === 0 || tree.max === 0 ? 0 : most * tree.max };
    }
    case 'group':
    case 'atomic':
      return extentOf(tree.body, known);
    case 'reference':
      return { least: 0, most: Number.POSITIVE_INFINITY };
    default:
      return nothing;
  }
}
