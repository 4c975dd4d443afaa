import { Buffer } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { answerCrest } from '../../contract/crest/answer-crest.ts';
import { type CrestAnswer, errorAnswer } from '../../contract/crest/crest-answer.ts';
import { CrestError } from '../../contract/crest/crest-error.ts';
import { describeEndpoints } from '../../contract/crest/describe/describe-endpoints.ts';
import type { ApiFacts } from '../../contract/crest/describe/description.ts';
import { PageText } from '../../contract/crest/pages/page-text.ts';
import { readParameters } from '../../contract/crest/parameters.ts';
import type { CrestEndpoint } from '../../contract/crest/provider.ts';
import { transactionIdOf } from '../../contract/crest/transaction-id.ts';
import { percentDecoded } from '../../contract/percent-decoded.ts';
import type { AdminAnswer } from './admin-answer.ts';
import type { AdminCall } from './admin-table.ts';

/** Answers a call of an admin server from an endpoint. @param mount path of the endpoint, as it was sent */
export async function crestAnswer(
  endpoint: CrestEndpoint,
  mount: string,
  call: AdminCall,
  tree: Pick<CrestTree, 'trustsTransactions' | 'transactionId' | 'inTurn'> & { readonly facts?: ApiFacts } = {},
): Promise<AdminAnswer> {
  const { facts, trustsTransactions = false } = tree;
  const { method, path, search, header, body } = call;
  const transactionId = tree.transactionId ?? transactionIdOf(header, trustsTransactions);
  const url = `${call.origin}${mount}`;
  const answer = await answerCrest(endpoint, {
    method,
    path: path.slice(mount.length),
    query: search,
    header,
    body,
    url,
    transactionId,
    facts,
    inTurn: tree.inTurn,
  });
  return adminAnswer(answer, tree.inTurn);
}

/** Returns the error of Common REST for a request that is refused before it reaches an endpoint. */
export function crestRefusal(status: number, message: string): AdminAnswer {
  // The framework has no phrase of its own for it.
  const parts = status === 429 ? { reason: 'Too Many Requests' } : {};
  return adminAnswer(errorAnswer(new CrestError(status, message, parts), false));
}

function adminAnswer({ status, headers: all, body }: CrestAnswer, inTurn: InTurn = afterOthers): AdminAnswer {
  const { 'content-type': type = '', ...headers } = all;
  const isLong = body instanceof PageText;
  return {
    status,
    type,
    headers,
    body: isLong ? piecesOf(body, inTurn) : typeof body === 'string' ? body : Buffer.from(body),
  };
}

/** Runs something when the thread has time for it. */
type InTurn = <T>(run: () => T) => Promise<T>;

async function afterOthers<T>(run: () => T): Promise<T> {
  await setImmediate();
  return run();
}

async function* piecesOf(text: PageText, inTurn: InTurn): AsyncGenerator<string> {
  const pieces = text[Symbol.iterator]();
  for (;;) {
    const { done, value } = await inTurn(() => pieces.next());
    if (done === true) return;
    yield value;
  }
}

/** Part of a tree of endpoints: an endpoint, or a folder that has nothing to say of itself. */
export type CrestNode = CrestEndpoint | { readonly kind: 'folder' };

/** An endpoint of a tree, with the steps that lead to it. */
export interface TreeEndpoint {
  readonly steps: readonly string[];
  readonly endpoint: CrestEndpoint;
}

/** Endpoints below a path. */
export interface CrestTree {
  readonly facts: ApiFacts;
  /** Transaction ids of callers are believed; by default each request gets a new one. */
  readonly trustsTransactions?: boolean;
  /** Transaction id of the request, where somebody has given it one already. */
  readonly transactionId?: string;
  /** Runs work in its turn, such as a piece of a long answer; by default after other work that waits. */
  readonly inTurn?: InTurn;
  /** Returns the endpoint for a path and the number of steps that lead to it; null for none. */
  find(steps: readonly string[]): { readonly node: CrestNode; readonly depth: number } | null;
  /** Returns all endpoints, for descriptors. */
  list(): readonly TreeEndpoint[];
}

const NOTHING = { type: '', body: '' } as const;

/** Answers a call for a path below a tree of endpoints. @param root path of the tree */
export async function treeAnswer(tree: CrestTree, root: string, call: AdminCall): Promise<AdminAnswer> {
  if (call.path.includes('//')) return notFound(root, call);
  const sent = call.path
    .slice(root.length)
    .split('/')
    .filter((step) => step !== '');
  // A malformed step leads nowhere; the endpoint says why if it is an id.
  const steps = sent.map(percentDecoded);
  const found = tree.find(steps);
  if (found === null) return notFound(root, call);
  const { node, depth } = found;
  if (node.kind !== 'folder') return crestAnswer(node, [root, ...sent.slice(0, depth)].join('/'), call, tree);
  return depth === sent.length ? folderAnswer(tree, root, steps, call) : notFound(root, call);
}

function notFound(root: string, { path }: AdminCall): AdminAnswer {
  return crestRefusal(404, `there is no resource '${path}'; '${root}?_api' describes all of them`);
}

/** Answers a call for a folder: it has descriptors of all endpoints below it. */
export async function folderAnswer(
  tree: CrestTree,
  root: string,
  steps: readonly string[],
  call: AdminCall,
): Promise<AdminAnswer> {
  try {
    const parameters = readParameters(call.search);
    const format = (['_api', '_crestapi'] as const).find((name) => parameters.has(name));
    if (format === undefined) return { status: 204, ...NOTHING };
    const below = tree.list().filter((one) => steps.every((step, at) => one.steps[at] === step));
    const mounted = below.map(({ steps: way, endpoint }) => ({
      path: way.map((step) => `/${encodeURIComponent(step)}`).join(''),
      endpoint,
    }));
    const isPretty = parameters.flag('_prettyPrint');
    return adminAnswer(
      await describeEndpoints(mounted, format, { server: `${call.origin}${root}`, facts: tree.facts, isPretty }),
    );
  } catch (error) {
    if (!(error instanceof CrestError)) throw error;
    return adminAnswer(errorAnswer(error, false));
  }
}
