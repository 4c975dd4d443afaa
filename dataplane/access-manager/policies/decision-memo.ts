import type { Exchange } from '../../engine/message/exchange.ts';
import type { Uri } from '../../engine/message/uri.ts';
import type { AnswerCache, CachedAnswer } from '../cache/answer-cache.ts';
import type { Environment, QuestionParts } from './decision-question.ts';
import type { PolicyDecision } from './policy-decision.ts';

/** Questions that are remembered for each connection, and characters of the longest. */
const MOST_QUESTIONS = 4;
const LONGEST_QUESTION = 4096;

/** A question whose decision is cached. */
interface Memo {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly rawPath: string;
  readonly rawQuery: string | null;
  readonly parts: QuestionParts;
  readonly answer: CachedAnswer<PolicyDecision>;
}

/** The questions of a connection, and where the next one goes. */
interface Memos {
  readonly asked: Memo[];
  next: number;
}

/**
 * Remembers for each connection the last questions and their cached decisions: comparing the parts of a question costs
 * less than making a key of them to look it up. The cache says whether a decision may still be used.
 */
export class DecisionMemos {
  private readonly cache: AnswerCache<PolicyDecision>;
  private readonly memos = new WeakMap<object, Memos>();

  constructor(cache: AnswerCache<PolicyDecision>) {
    this.cache = cache;
  }

  /** The decision about the URI of a request, if it is remembered and still cached. */
  find(exchange: Exchange, parts: QuestionParts): PolicyDecision | undefined {
    const memos = this.memos.get(exchange.origin.facts);
    if (memos === undefined) return;
    const { uri } = exchange.request;
    for (const memo of memos.asked) {
      if (!isAbout(memo, uri) || !areEqual(memo.parts, parts)) continue;
      return this.cache.holds(memo.answer) ? memo.answer.value : undefined;
    }
    return undefined;
  }

  /** The cache has this answer to the question, whose key is this long. */
  remember(exchange: Exchange, parts: QuestionParts, length: number, answer: CachedAnswer<PolicyDecision>): void {
    if (length > LONGEST_QUESTION) return;
    const { facts } = exchange.origin;
    const { scheme, host, port, rawPath, rawQuery } = exchange.request.uri;
    const memo: Memo = { scheme, host, port, rawPath, rawQuery, parts, answer };
    const memos = this.memos.get(facts);
    if (memos === undefined) {
      this.memos.set(facts, { asked: [memo], next: 1 });
      return;
    }
    // one of the same question is of an entry that is gone
    const same = memos.asked.findIndex((known) => isAbout(known, exchange.request.uri) && areEqual(known.parts, parts));
    if (same >= 0) {
      memos.asked[same] = memo;
      return;
    }
    memos.asked[memos.next] = memo;
    memos.next = (memos.next + 1) % MOST_QUESTIONS;
  }
}

function isAbout(memo: Memo, uri: Uri): boolean {
  return (
    memo.rawPath === uri.rawPath &&
    memo.rawQuery === uri.rawQuery &&
    memo.host === uri.host &&
    memo.port === uri.port &&
    memo.scheme === uri.scheme
  );
}

function areEqual(one: QuestionParts, other: QuestionParts): boolean {
  return (
    one.ssoToken === other.ssoToken &&
    one.jwt === other.jwt &&
    one.claims === other.claims &&
    (one.environment === other.environment || isSameEnvironment(one.environment, other.environment))
  );
}

function isSameEnvironment(one: Environment, other: Environment): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) {
    const [name, values] = one[at]!;
    const [otherName, otherValues] = other[at]!;
    if (name !== otherName || values.length !== otherValues.length) return false;
    for (let i = 0; i < values.length; i++) if (values[i] !== otherValues[i]) return false;
  }
  return true;
}
