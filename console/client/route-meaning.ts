import type { RouteState, ServedVersion } from './route-state.ts';

/** Grade of a state, for signs and colours. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** A state in words. */
export interface Meaning {
  readonly word: string;
  readonly tone: Tone;
  /** The consequence for requests. */
  readonly sentence: string;
}

const MEANINGS: Readonly<Record<ServedVersion, Meaning>> = {
  this: { word: 'Serving', tone: 'good', sentence: 'Requests get this version of the document.' },
  'last-good': {
    word: 'Last good',
    tone: 'warn',
    sentence: 'The document has errors. Requests get the last version without errors.',
  },
  refuses: { word: 'Rejects', tone: 'bad', sentence: 'The document has errors. Its requests get 500.' },
  nothing: { word: 'Not served', tone: 'bad', sentence: 'The document has errors, and no request reaches it.' },
  waits: { word: 'Waiting', tone: 'warn', sentence: 'Nothing is served until the errors of config.json are fixed.' },
  unbuilt: { word: 'Not built', tone: 'bad', sentence: 'A data plane could not build it. The log has the reason.' },
};

/** Returns what the state of a route means. */
export function meaningOf({ serves, warnings }: Pick<RouteState, 'serves' | 'warnings'>): Meaning {
  const meaning = MEANINGS[serves];
  if (serves !== 'this' || warnings === 0) return meaning;
  return { ...meaning, tone: 'warn', word: `${warnings === 1 ? 'Warning' : `${warnings} warnings`}` };
}

/** True for a route that somebody should look at. */
export function needsAttention(state: RouteState): boolean {
  return meaningOf(state).tone !== 'good';
}
