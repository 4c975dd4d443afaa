import { headerText } from '../engine/head/header-text.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { type BodyNeed, bodyNeed, lacksBody } from '../heap/objects/buffering.ts';
import { type Clause, clausesOf, type Fact } from './condition-clauses.ts';
import { PrefixTree } from './prefix-tree.ts';
import type { Route } from './route.ts';

/** A route, and what was found out about its condition when it was made: an index is made anew with every change. */
export interface Candidate {
  readonly route: Route;
  readonly clauses: readonly Clause[];
  /** Being found is enough. */
  readonly certain: boolean;
  readonly need: BodyNeed;
}

export function candidateOf(route: Route): Candidate {
  const { condition } = route;
  const clauses = conditionClauses(condition);
  return { route, clauses, certain: condition === null || decides(clauses), need: bodyNeed(condition) };
}

/** Lists of places in the order of routes, by the text that is looked up. */
type Places = Map<string, number[]>;

interface Looked {
  readonly exact: Places;
  readonly prefixes: PrefixTree | null;
  read(exchange: Exchange): string | null;
}

/**
 * Finds the first route, in order, whose condition is true, without asking every condition: each route is filed under
 * something that the request must have, and only those that are filed under what it has are asked, in order. The answer
 * is always that of asking all of them.
 */
export class DispatchIndex {
  private readonly candidates: readonly (Candidate | null)[];
  private readonly lookups: readonly Looked[];
  /** Routes that nothing can be said of. */
  private readonly always: readonly number[];
  /**
   * The lists of one search, how many there are and how far each has been read; a search is never interrupted. Counted
   * apart, because emptying an array frees its memory.
   */
  private readonly lists: (readonly number[])[] = [];
  private count = 0;
  private readonly cursors: number[] = [];

  private constructor(
    candidates: readonly (Candidate | null)[],
    lookups: readonly Looked[],
    always: readonly number[],
  ) {
    this.candidates = candidates;
    this.lookups = lookups;
    this.always = always;
  }

  /** @param candidates in their order */
  static of(candidates: readonly Candidate[]): DispatchIndex {
    const filed = new Filing(candidates);
    return new DispatchIndex(candidates, filed.lookups(), filed.always);
  }

  /** The same with others in their places, which must be filed under the same facts; null for nobody. */
  with(changes: ReadonlyMap<number, Candidate | null>): DispatchIndex {
    const candidates = [...this.candidates];
    for (const [place, candidate] of changes) candidates[place] = candidate;
    return new DispatchIndex(candidates, this.lookups, this.always);
  }

  /**
   * The first candidate that takes the request, or that needs the request's body to say so: `wantsBody` tells which.
   * Null for none.
   */
  find(exchange: Exchange): Candidate | null {
    const { lists } = this;
    let count = 0;
    if (this.always.length > 0) lists[count++] = this.always;
    for (const { exact, prefixes, read } of this.lookups) {
      const text = read(exchange);
      if (text === null) continue;
      const places = exact.size === 0 ? undefined : exact.get(text);
      if (places !== undefined) lists[count++] = places;
      if (prefixes !== null) count = prefixes.gather(text, lists, count);
    }
    this.count = count;
    return count === 1 ? this.firstOf(lists[0]!, exchange) : this.firstOfAll(exchange);
  }

  private firstOf(places: readonly number[], exchange: Exchange): Candidate | null {
    for (const place of places) {
      const candidate = this.candidates[place]!;
      if (candidate !== null && isTaken(candidate, exchange)) return candidate;
    }
    return null;
  }

  private firstOfAll(exchange: Exchange): Candidate | null {
    const { cursors } = this;
    for (let i = 0; i < this.count; i++) cursors[i] = 0;
    for (let place = this.next(-1); place >= 0; place = this.next(place)) {
      const candidate = this.candidates[place]!;
      if (candidate !== null && isTaken(candidate, exchange)) return candidate;
    }
    return null;
  }

  /** The smallest place after this one in any list, or -1. */
  private next(after: number): number {
    const { lists, cursors } = this;
    let smallest = -1;
    for (let i = 0; i < this.count; i++) {
      const list = lists[i]!;
      let cursor = cursors[i]!;
      while (cursor < list.length && list[cursor]! <= after) cursor++;
      cursors[i] = cursor;
      const place = list[cursor];
      if (place !== undefined && (smallest < 0 || place < smallest)) smallest = place;
    }
    return smallest;
  }
}

/** Whether a candidate takes the request, or may and needs its body to say so. */
function isTaken(candidate: Candidate, exchange: Exchange): boolean {
  return (
    candidate.certain || wantsBody(candidate, exchange) || candidate.route.condition!.read(exchange, null) === true
  );
}

/** Whether the condition of a candidate cannot be asked before the request's body is there. */
export function wantsBody({ certain, need }: Candidate, exchange: Exchange): boolean {
  return !certain && need !== 'never' && lacksBody(need, exchange);
}

function conditionClauses(condition: Route['condition']): readonly Clause[] {
  if (condition === null) return [[]];
  if (condition.compiled !== null) return clausesOf(condition.compiled.node);
  return condition.read(null, null) === true ? [[]] : []; // a plain true or false
}

/** Whether there is one clause of one fact that decides alone. */
function decides([only, ...others]: readonly Clause[]): boolean {
  return only !== undefined && others.length === 0 && only.length === 1 && only[0]!.exact;
}

/** Files each clause under the one of its facts that the fewest clauses share. */
class Filing {
  readonly always: number[] = [];
  private readonly places = new Map<string, { fact: Fact; exact: Places; prefixes: Places }>();

  constructor(candidates: readonly Candidate[]) {
    const uses = new Map<string, number>();
    for (const { clauses } of candidates) {
      for (const clause of clauses) for (const { key } of clause) uses.set(key, (uses.get(key) ?? 0) + 1);
    }
    candidates.forEach(({ clauses }, at) => {
      for (const facts of clauses) this.file(rarest(facts, uses), at);
    });
  }

  lookups(): Looked[] {
    return [...this.places.values()].map(({ fact, exact, prefixes }) => ({
      exact,
      prefixes: prefixes.size === 0 ? null : new PrefixTree(prefixes),
      read: reader(fact),
    }));
  }

  private file(fact: Fact | null, at: number): void {
    if (fact === null) {
      if (this.always.at(-1) !== at) this.always.push(at);
      return;
    }
    const subject = `${fact.of} ${fact.header}`;
    const known = this.places.get(subject) ?? { fact, exact: new Map(), prefixes: new Map() };
    this.places.set(subject, known);
    const places = fact.prefix ? known.prefixes : known.exact;
    const list = places.get(fact.text);
    if (list === undefined) places.set(fact.text, [at]);
    else if (list.at(-1) !== at) list.push(at);
  }
}

function rarest(facts: Clause, uses: ReadonlyMap<string, number>): Fact | null {
  let best: Fact | null = null;
  for (const fact of facts) {
    if (best === null || uses.get(fact.key)! < uses.get(best.key)!) best = fact;
  }
  return best;
}

function reader({ of, header }: Fact): (exchange: Exchange) => string | null {
  switch (of) {
    case 'path':
      return ({ request }) => request.uri.path;
    case 'host':
      return ({ request }) => request.uri.host;
    case 'method':
      return ({ request }) => request.method;
    case 'header':
      return ({ request }) => {
        const [value] = request.headers.all(header);
        return value === undefined ? null : headerText(value);
      };
  }
}
