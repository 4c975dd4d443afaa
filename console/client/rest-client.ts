import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { failureKind, RestFailure } from './rest-failure.ts';

/** A resource of Common REST. */
export interface RestResource {
  readonly _id: string;
  readonly _rev?: string;
}

const ROOT = '/api';
const whenSignedOut = new Set<() => void>();

/** Calls back when a request was refused because nobody is signed in. @returns a function that ends it */
export function followSignedOut(listener: () => void): () => void {
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

/** Content of a request. */
export interface Sent {
  readonly signal: AbortSignal;
  readonly body?: JsonValue | undefined;
}

function send(method: string, path: string, sent: Sent): Promise<JsonValue> {
  return sendTo(method, `${ROOT}/${path}`, sent);
}

/** Sends a request to a path of the server. @throws RestFailure */
export async function sendTo(method: string, path: string, { signal, body }: Sent): Promise<JsonValue> {
  const response = await fetch(path, {
    method,
    signal,
    cache: 'no-store',
    credentials: 'same-origin',
    // A filter in front of the API may send people to a sign-in page, which is no answer for a script.
    redirect: 'manual',
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new RestFailure('unreachable', 0, 'The gateway does not answer.');
  });
  const text = await response.text();
  if (response.ok) return parsed(text, response.status);
  const { status } = response;
  if (status === 401 && path.startsWith(ROOT)) for (const listener of whenSignedOut) listener();
  throw new RestFailure(failureKind(status), status, messageIn(text) ?? `The gateway answered with ${status}.`);
}

function parsed(text: string, status: number): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new RestFailure('failed', status, 'The answer is not JSON.');
  }
}

/** Returns the message of an error of Common REST. */
function messageIn(text: string): string | null {
  try {
    const answer = JSON.parse(text) as JsonValue;
    return isJsonObject(answer) && typeof answer['message'] === 'string' ? answer['message'] : null;
  } catch {
    return null;
  }
}

function resultsOf<T extends RestResource>(answer: JsonValue): readonly T[] {
  const results = isJsonObject(answer) ? answer['results'] : undefined;
  if (!Array.isArray(results)) throw new RestFailure('failed', 200, 'The answer has no results.');
  return results as unknown as readonly T[];
}
