import type { JSX } from 'preact';
import type { RouteProblem } from '../../client/route-problem.ts';
import { Badge } from '../../parts/state-badge.tsx';

/** Problems of a document with their places; nothing if there are none. */
export function Problems({ problems }: { readonly problems: readonly RouteProblem[] }): JSX.Element | null {
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
