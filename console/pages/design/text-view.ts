import { Annotation, Compartment, EditorState, type Extension, findClusterBreak } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Draft } from '../../draft/draft.ts';
import type { PlacedNote } from './placed-notes.ts';
import { colours, markNotes, noteMarking } from './text-marks.ts';

export interface TextViewOptions {
  readonly draft: Draft;
  readonly label: string;
  /** Called when somebody moves the cursor. */
  moved(offset: number): void;
}

/** Marks changes that come from the draft, which must not go back to it. */
const fromDraft = Annotation.define<true>();
/** Letters that follow each other faster than this are undone together, in milliseconds. */
const PAUSE = 700;

/**
 * An editor of the text of a draft. It lives in a shadow root: there CodeMirror uses style sheets that it constructs,
 * which the policy of the pages allows, and no style elements, which it forbids.
 */
export class TextView {
  private readonly view: EditorView;
  private readonly draft: Draft;
  private readonly look = new Compartment();
  private readonly unsubscribe: () => void;
  private group = 0;
  private typedAt = 0;
  private format: Draft['format'];

  constructor(root: ShadowRoot, { draft, label, moved }: TextViewOptions) {
    this.draft = draft;
    this.format = draft.format;
    const keys = keymap.of([
      { key: 'Mod-z', run: () => draft.undo(), preventDefault: true },
      { key: 'Mod-y', run: () => draft.redo(), preventDefault: true },
      { key: 'Mod-Shift-z', run: () => draft.redo(), preventDefault: true },
      { key: 'Enter', run: breakLine },
      { key: 'Backspace', run: (view) => erase(view, false) },
      { key: 'Delete', run: (view) => erase(view, true) },
    ]);
    const listener = EditorView.updateListener.of(({ docChanged, selectionSet, state, transactions }) => {
      const isOwn = !transactions.some((one) => one.annotation(fromDraft) === true);
      if (docChanged && isOwn) draft.setText(state.doc.toString(), this.typingGroup());
      if ((docChanged || selectionSet) && isOwn) moved(state.selection.main.head);
    });
    this.view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: draft.text,
        extensions: [
          ...[keys, listener, this.look.of(colours(draft.format)), noteMarking, typing, LOOK],
          ...[lineNumbers(), highlightSpecialChars(), highlightActiveLine(), highlightActiveLineGutter()],
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        ],
      }),
    });
    this.unsubscribe = draft.subscribe(() => this.follow());
  }

  /** Shows notes at their places in the text. */
  mark(notes: readonly PlacedNote[]): void {
    markNotes(this.view, notes);
  }

  /** Selects a part of the text and scrolls to it. */
  reveal(from: number, to: number, isFocused: boolean): void {
    const { length } = this.view.state.doc;
    const selection = { anchor: Math.min(from, length), head: Math.min(to, length) };
    this.view.dispatch({
      selection,
      effects: EditorView.scrollIntoView(selection.anchor, { y: 'center' }),
      annotations: fromDraft.of(true),
    });
    if (isFocused) this.view.focus();
  }

  destroy(): void {
    this.unsubscribe();
    this.view.destroy();
  }

  /** Takes over a change of the draft, as far as the texts differ, so that the cursor stays where it is. */
  private follow(): void {
    const { text, format } = this.draft;
    const known = this.view.state.doc.toString();
    const effects = format === this.format ? [] : [this.look.reconfigure(colours(format))];
    this.format = format;
    if (text === known && effects.length === 0) return;
    this.view.dispatch({ changes: changeBetween(known, text), effects, annotations: fromDraft.of(true) });
  }

  private typingGroup(): string {
    const now = performance.now();
    if (now - this.typedAt > PAUSE) this.group++;
    this.typedAt = now;
    return `typing ${this.group}`;
  }
}

/**
 * Replaces a selection by typed text. Left to itself, the browser joins lines with inline styles, which the policy of the
 * pages refuses.
 */
const typing: Extension = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data, isComposing } = event;
    if (isComposing || inputType !== 'insertText' || data === null) return false;
    const { from, to } = selected(view);
    if (from === to) return false;
    const insert = view.state.toText(data);
    const selection = { anchor: from + insert.length };
    view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent: 'input' });
    return true;
  },
});

/** Returns what the browser has selected, of which the state of a view learns only some time after. */
function selected(view: EditorView): { from: number; to: number } {
  const shadowRoots = view.root instanceof ShadowRoot ? [view.root] : [];
  const range = document.getSelection()?.getComposedRanges?.({ shadowRoots })[0];
  if (range === undefined || !view.contentDOM.contains(range.startContainer)) return view.state.selection.main;
  if (!view.contentDOM.contains(range.endContainer)) return view.state.selection.main;
  return {
    from: view.posAtDOM(range.startContainer, range.startOffset),
    to: view.posAtDOM(range.endContainer, range.endOffset),
  };
}

/** Deletes the selection, or the character beside the cursor. */
function erase({ state, dispatch }: EditorView, isForward: boolean): boolean {
  const { from, to, empty, head } = state.selection.main;
  const line = state.doc.lineAt(head);
  const place = head - line.from;
  const isAtEdge = isForward ? head === line.to : place === 0;
  const other = isAtEdge ? head + (isForward ? 1 : -1) : line.from + findClusterBreak(line.text, place, isForward);
  const [begin, end] = empty ? [Math.min(head, other), Math.max(head, other)] : [from, to];
  if (begin < 0 || end > state.doc.length) return true;
  dispatch({
    changes: { from: begin, to: end },
    selection: { anchor: begin },
    scrollIntoView: true,
    userEvent: 'delete',
  });
  return true;
}

/** Begins a line with the blanks of the one before, and more of them behind an opening bracket or colon. */
function breakLine({ state, dispatch }: EditorView): boolean {
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = line.text.slice(0, from - line.from);
  const blanks = /^[ \t]*/.exec(before)![0];
  const insert = `\n${blanks}${/[{[:]\s*$/.test(before) ? '  ' : ''}`;
  dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
    userEvent: 'input',
  });
  return true;
}

/** Returns the part in which two texts differ. */
function changeBetween(one: string, other: string): { from: number; to: number; insert: string } {
  let from = 0;
  const shorter = Math.min(one.length, other.length);
  while (from < shorter && one.charCodeAt(from) === other.charCodeAt(from)) from++;
  let tail = 0;
  while (tail < shorter - from && one.at(-1 - tail) === other.at(-1 - tail)) tail++;
  return { from, to: one.length - tail, insert: other.slice(from, other.length - tail) };
}

const LOOK: Extension = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--ink)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--ink-3)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 18px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--raised)' },
  '.t-key': { color: 'var(--call)' },
  '.t-text': { color: 'var(--text)' },
  '.t-word, .t-number': { color: 'var(--word)' },
  '.t-comment': { color: 'var(--ink-3)', fontStyle: 'italic' },
  '.t-sign': { color: 'var(--ink-2)' },
  '.n-error': { textDecoration: 'underline wavy var(--bad)', textUnderlineOffset: '3px' },
  '.n-warning': { textDecoration: 'underline wavy var(--warn)', textUnderlineOffset: '3px' },
  '.n-line': { boxShadow: 'inset 3px 0 var(--warn)' },
  '.n-line-error': { boxShadow: 'inset 3px 0 var(--bad)' },
});
