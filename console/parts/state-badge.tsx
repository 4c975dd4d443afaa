import type { JSX } from 'preact';
import { meaningOf, type Tone } from '../client/route-meaning.ts';
import type { RouteState } from '../client/route-state.ts';

/** State of a route as a word with a sign; colour alone would not be enough. */
export function StateBadge({ state }: { readonly state: RouteState }): JSX.Element {
  const { word, tone, sentence } = meaningOf(state);
  return <Badge word={word} tone={tone} title={sentence} />;
}

/** A word with a sign. */
export function Badge({
  word,
  tone,
  title,
}: {
  readonly word: string;
  readonly tone: Tone;
  readonly title?: string;
}): JSX.Element {
  return (
    <span class={`badge ${tone}`} title={title}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={SIGNS[tone]} />
      </svg>
      {word}
    </span>
  );
}

const SIGNS: Readonly<Record<Tone, string>> = {
  good: 'M1.5 5.2 4 7.6l4.5-5',
  warn: 'M5 1.2 9 8.6H1ZM5 4v2.2',
  bad: 'M2 2l6 6M8 2 2 8',
  quiet: 'M2 5h6',
};
