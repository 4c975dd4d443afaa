import { type EditorState, type Extension, type Range, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { DraftFormat } from '../../draft/draft-text.ts';
import type { PlacedNote } from './placed-notes.ts';

/** Tokens of a line, as kinds that the style sheet has colours for. */
const TOKENS: Readonly<Record<DraftFormat, RegExp>> = {
  json: /(?<comment>\/\/.*$|\/\*.*?(?:\*\/|$))|(?<key>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<text>"(?:[^"\\]|\\.)*"?)|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.eE+-]*)|(?<sign>[{}[\],:])/g,
  yaml: /(?<comment>(?<=^|\s)#.*$)|(?<key>(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s#"'{}[\],:-][^\s#"'{}[\],:]*)(?=:(?:\s|$)))|(?<text>"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)|(?<word>(?<=[\s[,]|^)(?:true|false|null|~)(?=[\s,\]}]|$))|(?<number>(?<=[\s[,:]|^)-?\d[\d.eE+-]*(?=[\s,\]}]|$))|(?<sign>[{}[\],]|:(?=\s|$)|(?<=^\s*(?:- )*)-(?=\s))/g,
};

const LONGEST_LINE = 2000;
const KINDS = new Map(
  ['comment', 'key', 'text', 'word', 'number', 'sign'].map((kind) => [kind, Decoration.mark({ class: `t-${kind}` })]),
);

/** Returns the parts of a line with their kinds. */
export function tokensOf(line: string, format: DraftFormat): { from: number; to: number; kind: string }[] {
  return [...line.slice(0, LONGEST_LINE).matchAll(TOKENS[format])].map((match) => ({
    from: match.index,
    to: match.index + match[0].length,
    kind: Object.entries(match.groups!).find(([, text]) => text !== undefined)![0],
  }));
}

/** Colours the visible lines. */
export function colours(format: DraftFormat): Extension {
  const visible = (view: EditorView): DecorationSet => Decoration.set(visibleTokens(view, format));
  return ViewPlugin.define(
    (view) => ({
      marks: visible(view),
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.marks = visible(update.view);
      },
    }),
    { decorations: ({ marks }) => marks },
  );
}

function visibleTokens({ state, visibleRanges }: EditorView, format: DraftFormat): Range<Decoration>[] {
  const marks: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      for (const token of tokensOf(line.text, format)) {
        marks.push(KINDS.get(token.kind)!.range(line.from + token.from, line.from + token.to));
      }
      at = line.to + 1;
    }
  }
  return marks;
}

const showNotes = StateEffect.define<readonly PlacedNote[]>();

const shownNotes = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, state }) {
    const given = effects.find((effect) => effect.is(showNotes));
    return given === undefined ? marks.map(changes) : noteMarks(given.value as readonly PlacedNote[], state);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks problems at their places. */
export const noteMarking: Extension = shownNotes;

/** Shows other problems from now on. */
export function markNotes(view: EditorView, notes: readonly PlacedNote[]): void {
  view.dispatch({ effects: showNotes.of(notes) });
}

function noteMarks(notes: readonly PlacedNote[], { doc }: EditorState): DecorationSet {
  const marks = notes.flatMap(({ from, to, severity, message, hint }) => {
    const begin = Math.min(from, doc.length);
    const line = doc.lineAt(begin);
    // The end of a line has no letter that could be underlined: the one before it is.
    const end = Math.min(Math.max(to, begin + 1), line.to);
    const start = Math.min(begin, Math.max(line.from, end - 1));
    const title = hint === null ? message : `${message}\n${hint}`;
    const whole = Decoration.line({ class: `n-line n-line-${severity}` }).range(line.from);
    if (start >= end) return [whole];
    return [whole, Decoration.mark({ class: `n-${severity}`, attributes: { title } }).range(start, end)];
  });
  return Decoration.set(marks, true);
}
