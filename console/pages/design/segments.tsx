import type { JSX } from 'preact';

export interface Choice {
  readonly id: string;
  readonly title: string;
}

export interface SegmentsProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly choose: (id: string) => void;
  /** Reason why nothing can be chosen; null if it can. */
  readonly disabled?: string | null;
}

/** A choice of a few, all of which are visible. */
export function Segments({ label, choices, chosen, choose, disabled = null }: SegmentsProps): JSX.Element {
  return (
    <fieldset class="segments segments-words" aria-label={label} title={disabled ?? undefined}>
      {choices.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          aria-pressed={id === chosen}
          disabled={disabled !== null && id !== chosen}
          onClick={() => choose(id)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  );
}
