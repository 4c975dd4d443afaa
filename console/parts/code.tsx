import type { JSX } from 'preact';

/** A condition or another expression, without the brackets around it. */
export function Expression({ text }: { readonly text: string }): JSX.Element {
  const inner = /^\$\{([^{}]*)\}$/s.exec(text.trim())?.[1]?.trim() ?? text;
  return <code class="expression">{tokens(inner, EXPRESSION)}</code>;
}

/** A value as JSON, with colours. */
export function JsonText({ value }: { readonly value: unknown }): JSX.Element {
  return <pre class="json">{tokens(JSON.stringify(value, null, 2), JSON_TOKENS)}</pre>;
}

const EXPRESSION =
  /(?<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<word>\b(?:and|or|not|empty|eq|ne|lt|gt|le|ge|true|false|null)\b)|(?<call>[\w:]+(?=\())/g;
const JSON_TOKENS =
  /(?<hidden>"\[hidden:[^"]*\]")|(?<key>"(?:[^"\\]|\\.)*"(?=:))|(?<text>"(?:[^"\\]|\\.)*")|(?<word>\b(?:true|false|null)\b)|(?<number>-?\d[\d.eE+-]*)/g;

/** Splits a text into plain parts and coloured ones. Everything stays text, so that no content can become markup. */
function tokens(text: string, pattern: RegExp): (string | JSX.Element)[] {
  const parts: (string | JSX.Element)[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [kind, found] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)!;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(<span class={`token-${kind}`}>{found}</span>);
    end = match.index + found!.length;
  }
  parts.push(text.slice(end));
  return parts;
}
