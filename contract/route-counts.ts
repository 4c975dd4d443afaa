/** Why filters do not let a request pass. */
export const denialReasons = [
  'no-https',
  'no-token',
  'invalid-request',
  'invalid-token',
  'insufficient-scope',
  'insufficient-authentication',
  'not-judged',
  'invalid-jwt',
  'no-certificate',
  'not-allowed',
  'condition',
  'forged-request',
  'origin',
  'invalid-proof',
  'sign-in-needed',
  'sign-in-request',
  'sign-in-state',
  'sign-in-refused',
  'sign-in-failed',
  'refresh-failed',
  'policy-denied',
  'policy-advice',
  'policy-subject',
  'policy-undecided',
  'policy-unheard',
  'session-unchecked',
  'sign-on-loop',
  'cross-domain-sign-on',
  'user-profile',
] as const;

export type DenialReason = (typeof denialReasons)[number];

/** One number that the objects of a route count or show together. */
export interface RouteCount {
  readonly metric: string;
  /** Whether it can go down, and ends with the plane that shows it. */
  readonly isGauge: boolean;
  /** The labels by which it is told from other numbers of the metric. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Shown as 1 while the agent of an AmService cannot log in. */
export const LOGIN_FAILED = 'gw_am_agent_login_failing';
/** Shown as 1 from the suspension of a script until it ends a run within its limits. */
export const SCRIPT_SUSPENDED = 'gw_script_suspension';
/** Reasons that were there before other counts were added: places must not change. */
const EARLY_REASONS = 25;
const LATER_REASONS = 29;

/**
 * What planes report of the objects of a route, each at a fixed place: what is added comes at the end, and a controller
 * leaves places out that it does not know.
 */
export const routeCounts: readonly RouteCount[] = [
  counted('gw_throttled_total'),
  counted('gw_cache_gets_total', { content: 'access_token', result: 'hit' }),
  counted('gw_cache_gets_total', { content: 'access_token', result: 'miss' }),
  { metric: 'gw_circuit_breaker_open', isGauge: true, labels: {} },
  counted('gw_circuit_breaker_transitions_total', { to: 'open' }),
  counted('gw_circuit_breaker_transitions_total', { to: 'closed' }),
  counted('gw_circuit_breaker_rejected_total'),
  counted('gw_retries_total'),
  counted('gw_retries_failed_total'),
  ...denialReasons.slice(0, EARLY_REASONS).map(denied),
  { metric: LOGIN_FAILED, isGauge: true, labels: {} },
  ...denialReasons.slice(EARLY_REASONS, LATER_REASONS).map(denied),
  { metric: SCRIPT_SUSPENDED, isGauge: true, labels: {} },
  ...denialReasons.slice(LATER_REASONS).map(denied),
];

/** How many numbers the counts of one route in a report may be, also those of a newer plane. */
export const MOST_COUNTS = 512;

const places = Map.groupBy(
  routeCounts.map(({ metric, labels }, place) => ({ metric, labels: Object.entries(labels), place })),
  ({ metric }) => metric,
);

/** The place of what an object counted; -1 for what is not reported. */
export function placeOf(metric: string, labels: Readonly<Record<string, string>>): number {
  const found = places.get(metric)?.find((one) => one.labels.every(([name, value]) => labels[name] === value));
  return found?.place ?? -1;
}

/** Counts as a report carries them: the place and the number of each that is not zero, by pairs. */
export function reportedCounts(counts: Float64Array): number[] {
  return [...counts.entries()].flatMap(([place, count]) => (count === 0 ? [] : [place, count]));
}

/** Reads counts of a report. What cannot be read counts for nothing. */
export function readCounts(reported: readonly number[]): Float64Array {
  const counts = new Float64Array(routeCounts.length);
  for (let at = 0; at + 1 < reported.length; at += 2) {
    const [place, count] = [reported[at]!, reported[at + 1]!];
    const isKnown = Number.isInteger(place) && place >= 0 && place < counts.length;
    if (isKnown && count >= 0 && count <= Number.MAX_SAFE_INTEGER) counts[place] = count;
  }
  return counts;
}

/** True for counts of a route with a number above zero at a place. */
export function isCounted(place: number, reported: readonly number[]): boolean {
  for (let at = 0; at + 1 < reported.length; at += 2) {
    if (reported[at] === place && reported[at + 1]! > 0) return true;
  }
  return false;
}

function denied(reason: DenialReason): RouteCount {
  return counted('gw_denied_total', { reason });
}

function counted(metric: string, labels: Readonly<Record<string, string>> = {}): RouteCount {
  return { metric, isGauge: false, labels };
}
