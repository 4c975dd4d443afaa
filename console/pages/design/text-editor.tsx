import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Draft } from '../../draft/draft.ts';
import type { PlacedNote } from './placed-notes.ts';
import { TextView } from './text-view.ts';

/** A part of the text to show. */
export interface Revealed {
  readonly from: number;
  readonly to: number;
  /** False if the keyboard stays elsewhere. */
  readonly isFocused: boolean;
}

export interface TextEditorProps {
  readonly draft: Draft;
  readonly notes: readonly PlacedNote[];
  /** Each new object is revealed once. */
  readonly revealed: Revealed | null;
  readonly moved: (offset: number) => void;
}

/** The text of a draft, with its problems in their places. */
export function TextEditor({ draft, notes, revealed, moved }: TextEditorProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<TextView | null>(null);
  const listener = useRef(moved);
  listener.current = moved;
  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const made = new TextView(root, {
      draft,
      label: 'Text of the route',
      moved: (offset) => listener.current(offset),
    });
    view.current = made;
    return () => {
      view.current = null;
      made.destroy();
    };
  }, [draft]);
  useEffect(() => view.current?.mark(notes), [draft, notes]);
  useEffect(() => {
    if (revealed !== null) view.current?.reveal(revealed.from, revealed.to, revealed.isFocused);
  }, [draft, revealed]);
  return <div class="text-editor" ref={host} />;
}
