import { useEffect } from 'preact/hooks';
import type { Draft } from '../../draft/draft.ts';

const TYPED = 'textarea, input:not([type="checkbox"], [type="radio"])';

/** Undoes and redoes edits with keys, wherever the focus is. */
export function useUndoKeys(draft: Draft): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || !(event.ctrlKey || event.metaKey)) return;
      // fields have their own history while somebody types
      if (event.target instanceof HTMLElement && event.target.matches(TYPED)) return;
      const key = event.shiftKey ? `shift ${event.key.toLowerCase()}` : event.key.toLowerCase();
      if (key === 'z') draft.undo();
      else if (key === 'y' || key === 'shift z') draft.redo();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [draft]);
}
