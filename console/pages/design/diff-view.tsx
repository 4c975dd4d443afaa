import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { type DiffLine, diffLines, nearChanges } from '../../draft/line-diff.ts';
import { counted } from '../../parts/figures.ts';

export interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  /** Names of the two texts, such as `Serves now` and `Draft`. */
  readonly names: readonly [before: string, after: string];
}

/** Two texts, line by line. Signs and words tell what colours show. */
export function DiffView({ before, after, names }: DiffViewProps): JSX.Element {
  const lines = useMemo(() => diffLines(before, after), [before, after]);
  const gone = lines.filter(({ kind }) => kind === 'gone').length;
  const come = lines.filter(({ kind }) => kind === 'come').length;
  if (gone + come === 0) {
    return (
      <p class="diff-none">
        No differences: {names[0]} and {names[1]} have the same document.
      </p>
    );
  }
  return (
    <div class="diff">
      <p class="diff-summary">
        <span>
          <del>− {names[0]}</del> <ins>+ {names[1]}</ins>
        </span>
        <span class="faint">
          {counted(gone, 'line')} removed, {counted(come, 'line')} added
        </span>
      </p>
      <table aria-label={`Differences of ${names[0]} and ${names[1]}`}>
        <tbody>
          {nearChanges(lines).map((part, at) =>
            'leftOut' in part ? (
              <tr key={`left ${at}`} class="diff-left">
                <td colSpan={4}>{counted(part.leftOut, 'unchanged line')}</td>
              </tr>
            ) : (
              part.lines.map((line) => <Line key={`${line.before} ${line.after}`} line={line} />)
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

const SIGNS = { same: '', gone: '−', come: '+' } as const;
const WORDS = { same: '', gone: 'removed: ', come: 'added: ' } as const;

function Line({ line: { kind, text, before, after } }: { readonly line: DiffLine }): JSX.Element {
  return (
    <tr class={`diff-${kind}`}>
      <td class="diff-number">{before}</td>
      <td class="diff-number">{after}</td>
      <td class="diff-sign" aria-hidden="true">
        {SIGNS[kind]}
      </td>
      <td class="diff-text">
        <span class="unseen">{WORDS[kind]}</span>
        {text}
      </td>
    </tr>
  );
}
