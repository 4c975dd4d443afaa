import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Empty } from '../parts/notes.tsx';
import { Navigation } from './navigation.tsx';
import { PAGES } from './pages.ts';
import { addressOf, followLinks, usePlace } from './place.ts';
import { useServer } from './server.ts';

/** The whole console: navigation and the page that the address names. */
export function Console(): JSX.Element {
  const place = usePlace();
  const [step = PAGES[0].step] = place.steps;
  const page = PAGES.find((one) => one.step === step) ?? null;
  const main = useRef<HTMLElement>(null);
  const path = place.steps.join('/');
  const shownPath = useRef(path);
  useEffect(followLinks, []);
  useEffect(() => {
    if (shownPath.current === path) return;
    shownPath.current = path;
    // Readers of screens hear the new page; a jump of the focus is what a browser does for a new document.
    main.current?.querySelector('h1')?.focus();
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Navigation pages={PAGES} current={page} />
      <main id="main" ref={main} tabIndex={-1}>
        <OfflineNote />
        {page === null ? <UnknownPage path={path} /> : <page.View key={page.step} place={place} />}
      </main>
    </>
  );
}

function OfflineNote(): JSX.Element | null {
  const { isReachable } = useServer();
  return (
    <div role="status" class="offline-place">
      {isReachable ? null : (
        <p class="offline">The gateway does not answer. The page shows the last known state and keeps trying.</p>
      )}
    </div>
  );
}

function UnknownPage({ path }: { readonly path: string }): JSX.Element {
  return (
    <div class="page">
      <h1 tabIndex={-1}>Page not found</h1>
      <Empty title={`The console has no page ‘${path}’.`}>
        <a href={addressOf([PAGES[0].step])}>Show the routes</a>
      </Empty>
    </div>
  );
}
