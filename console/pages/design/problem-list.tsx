import type { JSX } from 'preact';
import { counted } from '../../parts/figures.ts';
import { Badge } from '../../parts/state-badge.tsx';
import type { PlacedNote } from './placed-notes.ts';

export interface ProblemListProps {
  readonly notes: readonly PlacedNote[];
  readonly isChecking: boolean;
  readonly reveal: (note: PlacedNote) => void;
}

/** Problems of the draft; choosing one shows its place in the text. */
export function ProblemList({ notes, isChecking, reveal }: ProblemListProps): JSX.Element {
  const errors = notes.filter(({ severity }) => severity === 'error').length;
  const warnings = notes.length - errors;
  return (
    <div class="design-problems">
      <p role="status" class="design-verdict">
        {isChecking ? (
          <span class="faint">Checking…</span>
        ) : notes.length === 0 ? (
          <Badge word="No problems" tone="good" />
        ) : (
          <Badge
            word={[errors > 0 ? counted(errors, 'error') : '', warnings > 0 ? counted(warnings, 'warning') : '']
              .filter((word) => word !== '')
              .join(', ')}
            tone={errors > 0 ? 'bad' : 'warn'}
          />
        )}
      </p>
      {notes.length === 0 ? null : (
        <ul>
          {notes.map((note) => (
            <li key={`${note.shownPath} ${note.message}`}>
              <button type="button" class={`design-problem is-${note.severity}`} onClick={() => reveal(note)}>
                <code>{note.shownPath === '' ? 'document' : note.shownPath}</code>
                <span>
                  {note.message}
                  {note.hint === null ? null : <span class="faint"> – {note.hint}</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
