import type { JSX } from 'preact';

/** A description, in which words between backticks are code. */
export function Prose({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part))}</>;
}
