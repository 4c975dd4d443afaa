import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { clockTime, zoneName } from './times.ts';

export interface PageHeadProps {
  readonly title: string;
  /** When the page was filled, in milliseconds since 1970; 0 for not yet, absent for a page without data. */
  readonly at?: number;
  /** Link to the page above it. */
  readonly above?: { readonly title: string; readonly address: string };
  /** Facts in one line. */
  readonly children?: ComponentChildren;
}

/** Title of a page, which is the title of the tab, too. */
export function PageHead({ title, at, above, children }: PageHeadProps): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Gatewarden`;
  }, [title]);
  return (
    <div class="page-head">
      {above === undefined ? null : (
        <p class="above">
          <a href={above.address}>{above.title}</a>
        </p>
      )}
      <h1 tabIndex={-1}>{title}</h1>
      <p class="facts">{children}</p>
      {at === undefined || at === 0 ? null : (
        <p class="as-of" title={`Time zone ${zoneName()}`}>
          as of {clockTime(at)} <span class="zone">{zoneName()}</span>
        </p>
      )}
    </div>
  );
}
