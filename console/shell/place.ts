import { useEffect, useReducer } from 'preact/hooks';

/** Part of the console that its address stands for. */
export interface Place {
  /** Steps of the path below the root, without percent-encoding. */
  readonly steps: readonly string[];
  readonly query: URLSearchParams;
}

export const ROOT = '/console/';
const listeners = new Set<() => void>();

/** Returns the place that the address names. */
export function currentPlace(): Place {
  const { pathname, search } = window.location;
  const steps = pathname
    .slice(ROOT.length)
    .split('/')
    .filter((step) => step !== '');
  return { steps: steps.map(decoded), query: new URLSearchParams(search) };
}

/** Returns the address of a place. Parameters without a value are left out. */
export function addressOf(
  steps: readonly string[],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const filled = Object.entries(query).filter((one): one is [string, string] => (one[1] ?? '') !== '');
  const search = new URLSearchParams(filled).toString();
  return `${ROOT}${steps.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

/** Goes to a place. @param isNew false to replace the current one, such as for each letter of a filter */
export function goTo(address: string, isNew = true): void {
  if (isNew) window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
  for (const listener of listeners) listener();
}

/** Changes parameters of the current place. */
export function setParameters(changed: Readonly<Record<string, string | null>>): void {
  const { steps, query } = currentPlace();
  goTo(addressOf(steps, { ...Object.fromEntries(query), ...changed }), false);
}

/** Returns the current place, and renders again when it changes. */
export function usePlace(): Place {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    const changed = (): void => renderAgain(undefined);
    listeners.add(changed);
    window.addEventListener('popstate', changed);
    return () => {
      listeners.delete(changed);
      window.removeEventListener('popstate', changed);
    };
  }, []);
  return currentPlace();
}

/** Follows links of the console without loading it again. @returns a function that ends it */
export function followLinks(): () => void {
  const clicked = (event: MouseEvent): void => {
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (!isPlain || event.defaultPrevented || !(link instanceof HTMLAnchorElement) || link.target !== '') return;
    if (link.origin !== window.location.origin || !link.pathname.startsWith(ROOT) || link.hash !== '') return;
    event.preventDefault();
    goTo(`${link.pathname}${link.search}`);
  };
  document.addEventListener('click', clicked);
  return () => document.removeEventListener('click', clicked);
}

/** A step that is badly encoded is a name that nothing has. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
