import type { JSX } from 'preact';

const SHAPES: Readonly<Record<string, string>> = {
  routes: 'M3 4.5h4.5c2.2 0 2.2 7 4.5 7h1.5M3 11.5h3M11.5 9.5l2 2-2 2M3 8h2',
  explain: 'M7 12.2A5.2 5.2 0 1 0 7 1.8a5.2 5.2 0 0 0 0 10.4ZM10.8 10.8 14 14M5.6 5.6a1.5 1.5 0 1 1 1.4 2v.8',
  planes: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  'secret-stores': 'M4 7V5a4 4 0 0 1 8 0v2M3 7h10v6.5H3zM8 9.5v1.6',
  audit: 'M4 2h5.5L12.5 5v9H4zM6 7h4.5M6 9.5h4.5M6 12h2.5',
  filter: 'M7 11.8A4.8 4.8 0 1 0 7 2.2a4.8 4.8 0 0 0 0 9.6ZM10.5 10.5 14 14',
  system: 'M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3',
  light:
    'M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6ZM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  dark: 'M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z',
};

/** A drawing beside a word; it says nothing that the word does not. */
export function Icon({ name }: { readonly name: string }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={SHAPES[name] ?? ''} />
    </svg>
  );
}

/** The mark of the product: a gate in a gate. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M4.5 20v-8.5a7.5 7.5 0 0 1 15 0V20" />
      <path d="M9 20v-8.1a3 3 0 0 1 6 0V20" />
    </svg>
  );
}
