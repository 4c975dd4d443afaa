import type { EditedRoute } from './edited-route.ts';

/** Drafts of this tab, by their addresses: another page can be opened meanwhile, and nothing is lost. */
const drafts = new Map<string, EditedRoute>();
const MOST_DRAFTS = 20;

/** Returns the draft of an address. */
export function keptDraft(address: string): EditedRoute | undefined {
  return drafts.get(address);
}

/** Keeps a draft until it is dropped, or until there are too many; unchanged ones go first. */
export function keepDraft(address: string, route: EditedRoute): void {
  drafts.delete(address);
  drafts.set(address, route);
  if (drafts.size <= MOST_DRAFTS) return;
  const [spare] = [...drafts].find(([, { isChanged }]) => !isChanged) ?? [...drafts.keys()];
  drafts.delete(spare!);
}

/** Forgets a draft that was deployed, deleted or given up. */
export function dropDraft(address: string): void {
  drafts.delete(address);
}

/** Has the browser ask before the tab is closed or loaded again while drafts have changes. @returns a function that ends it */
export function askBeforeLeaving(): () => void {
  const leaving = (event: BeforeUnloadEvent): void => {
    if ([...drafts.values()].some(({ isChanged }) => isChanged)) event.preventDefault();
  };
  window.addEventListener('beforeunload', leaving);
  return () => window.removeEventListener('beforeunload', leaving);
}
