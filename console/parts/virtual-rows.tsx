import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualRowsProps {
  readonly count: number;
  /** Height of every row in pixels, as in the style sheet. */
  readonly rowHeight: number;
  /** Shows a row. Its first link gets the focus when somebody moves by keys. */
  readonly row: (at: number) => JSX.Element;
  /** Shown above the rows, and always visible. */
  readonly head: JSX.Element;
  readonly label: string;
  /** Rows begin at the top again when this changes. */
  readonly beginning: string;
}

/** Rows above and below the visible ones that are there already when somebody scrolls. */
const SPARE = 12;

/** A table of which only the visible rows exist, so that thousands cost as little as a few. */
export function VirtualRows({ count, rowHeight, row, head, label, beginning }: VirtualRowsProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ first: 0, visible: 60 });
  const wanted = useRef<number | null>(null);

  const measure = (): void => {
    if (box.current === null) return;
    const first = Math.floor(box.current.scrollTop / rowHeight);
    const visible = Math.ceil(box.current.clientHeight / rowHeight) + 1;
    setView((known) => (known.first === first && known.visible === visible ? known : { first, visible }));
  };

  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    wanted.current = null;
    box.current?.scrollTo(0, 0);
    measure();
  }, [beginning]);
  useEffect(() => {
    if (wanted.current === null) return;
    const link = box.current?.querySelector<HTMLElement>(`[aria-rowindex="${wanted.current + 2}"] a`);
    if (link === null || link === undefined) return;
    wanted.current = null;
    link.focus({ preventScroll: true });
  });

  /** Moves the focus from the row that has it to another one, which may not exist yet. */
  const moved = (event: KeyboardEvent): void => {
    const from = event.target instanceof Element ? event.target.closest('[aria-rowindex]') : null;
    const step = STEPS[event.key];
    if (from === null || step === undefined || box.current === null) return;
    event.preventDefault();
    // Keys may come faster than rows are drawn: the next one counts from where the last one leads.
    const now = wanted.current ?? Number(from.getAttribute('aria-rowindex')) - 2;
    const at = Math.max(0, Math.min(count - 1, step(now, view.visible, count)));
    const { scrollTop, clientHeight } = box.current;
    const headHeight = rowHeight;
    if (at * rowHeight < scrollTop) box.current.scrollTop = at * rowHeight;
    else if ((at + 1) * rowHeight + headHeight > scrollTop + clientHeight)
      box.current.scrollTop = (at + 1) * rowHeight + headHeight - clientHeight;
    wanted.current = at;
    measure();
    setView((known) => ({ ...known }));
  };

  const begin = Math.max(0, Math.min(view.first, count) - SPARE);
  const end = Math.min(count, view.first + view.visible + SPARE);
  const rows = Array.from({ length: Math.max(0, end - begin) }, (_, at) => row(begin + at));
  return (
    <div class="rows" ref={box} onScroll={measure}>
      <table aria-label={label} aria-rowcount={count + 1} onKeyDown={moved}>
        <thead>{head}</thead>
        <tbody>
          <Space height={begin * rowHeight} />
          {rows}
          <Space height={(count - end) * rowHeight} />
        </tbody>
      </table>
    </div>
  );
}

/** Room of the rows that do not exist. */
function Space({ height }: { readonly height: number }): JSX.Element | null {
  return height <= 0 ? null : (
    <tr class="rows-space">
      <td style={{ height: `${height}px`, padding: 0 }} />
    </tr>
  );
}

type StepTo = (from: number, visible: number, count: number) => number;

const STEPS: Readonly<Record<string, StepTo>> = {
  ArrowDown: (from) => from + 1,
  ArrowUp: (from) => from - 1,
  PageDown: (from, visible) => from + visible - 2,
  PageUp: (from, visible) => from - visible + 2,
  Home: () => 0,
  End: (_, __, count) => count - 1,
};
