import type { ObjectFigure, ObjectFigures } from '../../../contract/shown/object-figures.ts';
import type { Tone } from '../../client/route-meaning.ts';
import { counted, shortCount, shortShare } from '../../parts/figures.ts';

/** A figure of an object in a few words. */
export interface ObjectWords {
  readonly text: string;
  readonly tone: Tone | null;
}

type Words = (value: number, labels: Readonly<Record<string, string>>) => ObjectWords | null;

const many =
  (noun: string, tone: Tone | null = 'warn'): Words =>
  (value) =>
    value === 0 ? null : { text: `${shortCount(value)} ${noun}`, tone };
const byLabel =
  (noun: string, label: string): Words =>
  (value, labels) =>
    value === 0 ? null : { text: `${shortCount(value)} ${noun}: ${labels[label] ?? 'other'}`, tone: 'warn' };

const WORDS: Readonly<Record<string, Words>> = {
  gw_denied_total: byLabel('rejected', 'reason'),
  gw_throttled_total: many('throttled'),
  gw_throttling_partitions: (value) => ({ text: counted(value, 'partition'), tone: null }),
  gw_throttling_partitions_refused_total: many('without a partition', 'bad'),
  gw_circuit_breaker_open: (value) =>
    value > 0 ? { text: 'circuit open', tone: 'bad' } : { text: 'circuit closed', tone: 'good' },
  gw_circuit_breaker_transitions_total: (value, { to }) =>
    to === 'open' && value > 0 ? { text: `opened ${counted(value, 'time')}`, tone: null } : null,
  gw_circuit_breaker_rejected_total: many('rejected: circuit open'),
  gw_retries_total: many('retried', null),
  gw_retries_failed_total: many('failed after retries'),
  gw_mirror_sent_total: many('copied', null),
  gw_mirror_failed_total: many('copies failed'),
  gw_mirror_dropped_total: byLabel('not copied', 'reason'),
  gw_script_exceeded_total: byLabel('runs ended', 'limit'),
  gw_script_suspended_total: many('rejected: script suspended'),
  gw_script_suspension: (value) => (value > 0 ? { text: 'script suspended', tone: 'bad' } : null),
  gw_am_agent_login_failing: (value) => (value > 0 ? { text: 'log-in of the agent fails', tone: 'bad' } : null),
};

/** Returns the figures of an object in words, those that need attention first. */
export function objectWords(figures: readonly ObjectFigure[]): readonly ObjectWords[] {
  const words = figures.flatMap(({ metric, labels, value }) => WORDS[metric]?.(value, labels) ?? []);
  return [...words, ...cacheWords(figures)].sort((a, b) => rank(a) - rank(b));
}

const RANKS: readonly (Tone | null)[] = ['bad', 'warn', 'good', 'quiet', null];

function rank({ tone }: ObjectWords): number {
  return RANKS.indexOf(tone);
}

function cacheWords(figures: readonly ObjectFigure[]): readonly ObjectWords[] {
  const gets = (result: string): number =>
    figures.reduce(
      (sum, { metric, labels, value }) =>
        metric === 'gw_cache_gets_total' && labels['result'] === result ? sum + value : sum,
      0,
    );
  const [hits, misses] = [gets('hit'), gets('miss')];
  if (hits + misses === 0) return [];
  return [{ text: `${shortShare(hits, hits + misses)} of ${shortCount(hits + misses)} from the cache`, tone: null }];
}

/** Returns the figures of an object of a route, or of one that the route refers to. */
export function figuresOf(
  all: readonly ObjectFigures[],
  { router, route }: { readonly router: string; readonly route: string },
  object: string,
): readonly ObjectFigure[] {
  const named = all.filter(({ name }) => name === object);
  const own = named.find((one) => one.route === route && one.router === router);
  return (own ?? named.find((one) => one.route === ''))?.figures ?? [];
}
