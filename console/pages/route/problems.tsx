import type { JSX } from 'preact';
import { Badge } from '../../parts/state-badge.tsx';

/** A problem of a document, as the gateway finds it. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  /** Place in the document; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Problems of a document with their places; nothing if there are none. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }): JSX.Element | null {
  if (problems.length === 0) return null;
  return (
    <section class="problems" aria-labelledby="problems-title">
      <h2 id="problems-title">Problems</h2>
      <ul>
        {problems.map(({ severity, code, path, message, hint }) => (
          <li key={`${path} ${code} ${message}`}>
            <Badge word={severity === 'error' ? 'Error' : 'Warning'} tone={severity === 'error' ? 'bad' : 'warn'} />
            <div>
              <p>{message}</p>
              {hint === undefined ? null : <p class="faint">{hint}</p>}
              <p class="faint">
                {path === '' ? null : <code>{path}</code>} <code>{code}</code>
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
