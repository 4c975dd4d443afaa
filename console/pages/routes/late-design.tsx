import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty, Loading } from '../../parts/notes.tsx';
import type { DesignPageProps } from '../design/design-page.tsx';

type State = ComponentType<DesignPageProps> | 'loading' | 'failed';

/** The page that edits routes. Its code is large, and loaded when somebody first opens it. */
export function LateDesign(props: DesignPageProps): JSX.Element {
  const [Page, setPage] = useState<State>('loading');
  useEffect(() => {
    import('../design/design-page.tsx').then(
      ({ DesignPage }) => setPage(() => DesignPage),
      () => setPage('failed'),
    );
  }, []);
  if (Page === 'loading') return <Loading what="the editor" />;
  if (Page !== 'failed') return <Page {...props} />;
  return (
    <div class="page">
      <h1 tabIndex={-1}>The editor could not be loaded</h1>
      <Empty title="The gateway does not answer, or it has another version now">
        <button type="button" onClick={() => window.location.reload()}>
          Load the page again
        </button>
      </Empty>
    </div>
  );
}
