import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon, Mark } from './icons.tsx';
import type { Page } from './page.ts';
import { addressOf } from './place.ts';
import { useServer } from './server.ts';
import { signOut, useSession } from './session.ts';
import { chooseTheme, chosenTheme, THEMES, type Theme } from './theme.ts';

/** The way to all pages, the state of the connection, and the colours. */
export function Navigation({
  pages,
  current,
}: {
  readonly pages: readonly Page[];
  readonly current: Page | null;
}): JSX.Element {
  return (
    <header class="side">
      <a class="brand" href={addressOf([])}>
        <Mark />
        <span>Gatewarden</span>
      </a>
      <nav aria-label="Pages">
        <ul>
          {pages.map((page) => (
            <li key={page.step}>
              <a href={addressOf([page.step])} aria-current={page === current ? 'page' : undefined}>
                <Icon name={page.step} />
                {page.title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="side-foot">
        <UserLine />
        <ThemeChoice />
        <ServerLine />
      </div>
    </header>
  );
}

function UserLine(): JSX.Element | null {
  const session = useSession();
  const [problem, setProblem] = useState<string | null>(null);
  if (session.kind !== 'signed-in') return null;
  const leave = (): void => void signOut().catch((error: unknown) => setProblem(String(error)));
  return (
    <div class="user">
      <p class="cut" title={session.user}>
        <span class="unseen">Signed in as </span>
        {session.user}
      </p>
      <button type="button" onClick={leave}>
        Sign out
      </button>
      {problem === null ? null : <p role="alert">{problem}</p>}
    </div>
  );
}

const NAMES: Readonly<Record<Theme, string>> = { system: 'Colours of the system', light: 'Light', dark: 'Dark' };

function ThemeChoice(): JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  const choose = (chosen: Theme): void => {
    chooseTheme(chosen);
    setTheme(chosen);
  };
  return (
    <fieldset class="segments" aria-label="Colours">
      {THEMES.map((one) => (
        <button key={one} type="button" title={NAMES[one]} aria-pressed={one === theme} onClick={() => choose(one)}>
          <Icon name={one} />
          <span class="unseen">{NAMES[one]}</span>
        </button>
      ))}
    </fieldset>
  );
}

function ServerLine(): JSX.Element {
  const { version, isReachable } = useServer();
  return (
    <p class="server">
      <span class={isReachable ? 'dot good' : 'dot bad'} aria-hidden="true" />
      {isReachable ? (version === null ? 'Connecting' : `Version ${version}`) : 'No connection'}
    </p>
  );
}
