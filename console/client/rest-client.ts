import { isJsonObject, type JsonObject, type JsonValue, jsonObjectIn } from '../../contract/document/json-value.ts';
import { failureKind, RestFailure } from './rest-failure.ts';

/** A resource of Common REST. */
export interface RestResource {
  readonly _id: string;
  readonly _rev?: string;
}

const ROOT = '/api';
const whenSignedOut = new Set<() => Promise<boolean>>();

/**
 * Calls back when a request was refused because nobody is signed in. If a listener answers that somebody is, the request
 * is sent once more: nothing of it was done. @returns a function that ends it
 */
export function followSignedOut(listener: () => Promise<boolean>): () => void {
  whenSignedOut.add(listener);
  return () => whenSignedOut.delete(listener);
}

/** Returns all resources of a collection. @throws RestFailure */
export async function queryAll<T extends RestResource>(collection: string, signal: AbortSignal): Promise<readonly T[]> {
  const answer = await send('GET', `${collection}?_queryFilter=true`, { signal });
  return resultsOf<T>(answer);
}

/** Returns resources of a collection that the parameters select. @throws RestFailure */
export async function query<T extends RestResource>(
  collection: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  return resultsOf<T>(await send('GET', `${collection}?${new URLSearchParams(parameters)}`, { signal }));
}

/** Returns one resource. @param path with its steps encoded, below the root of the API @throws RestFailure */
export async function read(path: string, signal: AbortSignal): Promise<JsonObject> {
  const answer = await send('GET', path, { signal });
  if (!isJsonObject(answer)) throw new RestFailure('failed', 200, 'The answer is not a resource.');
  return answer;
}

/** Runs an action of a resource or collection. @throws RestFailure */
export async function act(
  path: string,
  action: string,
  body: JsonValue | undefined,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = await send('POST', `${path}?_action=${encodeURIComponent(action)}`, { signal, body });
  if (!isJsonObject(answer)) throw new RestFailure('failed', 200, 'The answer is not an object.');
  return answer;
}

/**
 * Creates or updates a resource.
 *
 * @param revision the one that the change was made from; null to create a resource that must not exist
 * @throws RestFailure with the status 412 if it has another revision, or exists
 */
export async function put(
  path: string,
  body: JsonObject,
  revision: string | null,
  signal: AbortSignal,
): Promise<JsonObject> {
  const precondition = revision === null ? { 'if-none-match': '*' } : { 'if-match': `"${revision}"` };
  const answer = await send('PUT', path, { signal, body, precondition });
  if (!isJsonObject(answer)) throw new RestFailure('failed', 200, 'The answer is not a resource.');
  return answer;
}

/** Deletes a resource. @throws RestFailure with the status 412 if it has another revision */
export async function remove(path: string, revision: string, signal: AbortSignal): Promise<void> {
  await send('DELETE', path, { signal, precondition: { 'if-match': `"${revision}"` } });
}

/** Content of a request. */
export interface Sent {
  readonly signal: AbortSignal;
  readonly body?: JsonValue | undefined;
  readonly precondition?: Readonly<Record<string, string>>;
}

function send(method: string, path: string, sent: Sent): Promise<JsonValue> {
  return sendTo(method, `${ROOT}/${path}`, sent);
}

/** Sends a request to a path of the server. @throws RestFailure */
export async function sendTo(method: string, path: string, sent: Sent): Promise<JsonValue> {
  const first = await responseTo(method, path, sent);
  const isAgain = first.status === 401 && path.startsWith(`${ROOT}/`) && (await isSignedInAgain());
  const response = isAgain ? await responseTo(method, path, sent) : first;
  const text = await response.text();
  if (response.ok) return parsed(text, response.status);
  const { status } = response;
  const answer = jsonObjectIn(text);
  const message = typeof answer?.['message'] === 'string' ? answer['message'] : `The gateway answered with ${status}.`;
  throw new RestFailure(failureKind(status), status, message, answer?.['detail']);
}

async function isSignedInAgain(): Promise<boolean> {
  const answers = await Promise.all(Array.from(whenSignedOut, (listener) => listener()));
  return answers.includes(true);
}

function responseTo(method: string, path: string, { signal, body, precondition }: Sent): Promise<Response> {
  return fetch(path, {
    method,
    signal,
    cache: 'no-store',
    credentials: 'same-origin',
    // A filter in front of the API may send people to a sign-in page, which is no answer for a script.
    redirect: 'manual',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...precondition,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new RestFailure('unreachable', 0, 'The gateway does not answer.');
  });
}

function parsed(text: string, status: number): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new RestFailure('failed', status, 'The answer is not JSON.');
  }
}

function resultsOf<T extends RestResource>(answer: JsonValue): readonly T[] {
  const results = isJsonObject(answer) ? answer['results'] : undefined;
  if (!Array.isArray(results)) throw new RestFailure('failed', 200, 'The answer has no results.');
  return results as unknown as readonly T[];
}
