import { useEffect, useReducer } from 'preact/hooks';
import type { AskedForm } from '../../explain/asked-request.ts';

/** The request that expressions are tried with. It is in the memory of the page only: headers may have credentials. */
let sample: AskedForm = { method: 'GET', uri: 'http://localhost/orders?page=1', headers: '', entity: '' };
const listeners = new Set<() => void>();

/** Changes the request that all fields try their expressions with. */
export function setSample(changed: Partial<AskedForm>): void {
  sample = { ...sample, ...changed };
  for (const listener of listeners) listener();
}

/** Returns the request that expressions are tried with, and renders again when it changes. */
export function useSample(): AskedForm {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => {
    const changed = (): void => renderAgain(undefined);
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  }, []);
  return sample;
}
