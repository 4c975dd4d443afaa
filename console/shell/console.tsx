import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { SIGN_IN_PROBLEM } from '../../contract/shown/sign-in-problem.ts';
import { Empty, Loading } from '../parts/notes.tsx';
import { Navigation } from './navigation.tsx';
import { PAGES } from './pages.ts';
import { addressOf, currentPlace, followLinks, setParameters, usePlace } from './place.ts';
import { useServer } from './server.ts';
import { followOtherTabs, tellOtherTabs, useSession } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { problemIn } from './sign-in-problem.ts';

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
        <SignedIn>{page === null ? <UnknownPage path={path} /> : <page.View key={page.step} place={place} />}</SignedIn>
      </main>
    </>
  );
}

/**
 * Shows a page to people who are signed in. The page of somebody whose session ended stays as it is behind the form, with
 * everything that was typed into it.
 */
function SignedIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const session = useSession();
  const user = useRef<string | null>(null);
  const [problem] = useState(() => problemIn(currentPlace().query));
  useEffect(() => {
    // It belongs to one attempt, and not to the page.
    if (currentPlace().query.has(SIGN_IN_PROBLEM)) setParameters({ [SIGN_IN_PROBLEM]: null });
  }, []);
  useEffect(followOtherTabs, []);
  useEffect(() => {
    if (session.kind !== 'signed-in') return;
    if (user.current === null) tellOtherTabs();
    // Another person gets nothing that was shown to the one before.
    if (user.current !== null && user.current !== session.user) window.location.reload();
    user.current = session.user;
  }, [session]);
  if (session.kind === 'unknown') return <Loading what="the console" />;
  const isOut = session.kind === 'signed-out';
  return (
    <>
      {isOut ? (
        <SignIn
          ways={session.ways}
          provider={session.provider}
          isAgain={user.current !== null}
          problem={user.current === null ? problem : null}
        />
      ) : null}
      {isOut && user.current === null ? null : (
        <div class="signed-in" hidden={isOut}>
          {children}
        </div>
      )}
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
