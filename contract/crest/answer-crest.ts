import { type ApiVersion, chosenProtocol, chosenVersion, readApiVersions } from './api-version.ts';
import { type AnswerShape, type CrestAnswer, errorAnswer, outcomeAnswer } from './crest-answer.ts';
import { badRequest, CrestError } from './crest-error.ts';
import { type CrestOperation, readOperation } from './crest-operation.ts';
import { describeEndpoints } from './describe/describe-endpoints.ts';
import type { ApiFacts } from './describe/description.ts';
import { readFields } from './field-list.ts';
import { type Parameters, readParameters } from './parameters.ts';
import type { HeaderValue } from './preconditions.ts';
import type { CrestCall, CrestEndpoint } from './provider.ts';
import { type CrestOutcome, type RunnableOperation, runOnCollection, runOnSingleton } from './run-operation.ts';

/** HTTP request for a path at or below an endpoint. */
export interface CrestRequest {
  readonly method: string;
  /** Path below the endpoint as it was sent, such as `/alice`; empty for the endpoint itself. */
  readonly path: string;
  /** Query string without its question mark. */
  readonly query: string;
  readonly header: HeaderValue;
  readonly body: Uint8Array;
  /** URL of the endpoint, without a slash at its end. */
  readonly url: string;
  readonly transactionId?: string;
  /** Facts for descriptors. */
  readonly facts?: ApiFacts | undefined;
  /** Runs work in its turn, such as the reading of a long body; by default at once. */
  readonly inTurn?: (<T>(run: () => T) => Promise<T>) | undefined;
}

/** Bytes of a body that is read at once: a long one takes a hundred milliseconds. */
const SHORT_BODY = 16_384;
const METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS';

/**
 * Answers a request of Common REST. Errors of the client and those that a provider reports become answers; other errors
 * are thrown.
 */
export async function answerCrest(endpoint: CrestEndpoint, request: CrestRequest): Promise<CrestAnswer> {
  let parameters: Parameters | null = null;
  try {
    parameters = readParameters(request.query);
    return await answerOf(endpoint, request, parameters);
  } catch (error) {
    if (!(error instanceof CrestError)) throw error;
    return errorAnswer(error, isPretty(parameters));
  }
}

async function answerOf(endpoint: CrestEndpoint, request: CrestRequest, parameters: Parameters): Promise<CrestAnswer> {
  const { method, header, url } = request;
  if (method === 'OPTIONS' && !parameters.has('_api')) return { status: 200, headers: { allow: METHODS }, body: '' };
  if (method === 'TRACE') throw new CrestError(405, 'TRACE is not allowed', { headers: { allow: METHODS } });
  const versions = readApiVersions(header('accept-api-version') ?? '');
  const protocol = chosenProtocol(versions.protocol);
  const { inTurn, ...source } = request;
  const reading = (): CrestOperation => readOperation({ ...source, parameters, protocol });
  const isLong = request.body.length > SHORT_BODY;
  const operation = isLong && inTurn !== undefined ? await inTurn(reading) : reading();
  if (operation.kind === 'describe') {
    const asked = { server: url, facts: request.facts, isPretty: isPretty(parameters) };
    return describeEndpoints([{ path: '', endpoint }], operation.format, asked);
  }
  const fields = readFields(parameters);
  const shape: AnswerShape = {
    protocol,
    fields,
    isPretty: parameters.flag('_prettyPrint'),
    known: operation.kind === 'read' ? operation.known : null,
    mimeType: operation.kind === 'read' ? operation.mimeType : null,
    locationOf: (id) => `${url}/${encodeURIComponent(id)}`,
  };
  const { transactionId } = request;
  const additional = additionalOf(parameters, operation);
  const call = { fields, additional, resourceVersion: versions.resource, transactionId };
  return outcomeAnswer(await run(endpoint, stepsOf(request.path), operation, call), shape);
}

function run(
  endpoint: CrestEndpoint,
  path: readonly string[],
  operation: RunnableOperation,
  call: CrestCall,
): Promise<CrestOutcome> {
  switch (endpoint.kind) {
    case 'collection':
      return runOnCollection(endpoint.provider, path, operation, call);
    case 'singleton':
      return runOnSingleton(endpoint.provider, path, operation, call);
    case 'versioned':
      return run(versionOf(endpoint, call.resourceVersion), path, operation, call);
  }
}

function versionOf(
  { versions }: Extract<CrestEndpoint, { readonly kind: 'versioned' }>,
  asked: ApiVersion | null,
): CrestEndpoint {
  return chosenVersion(versions, asked).endpoint;
}

/** Splits a path into its steps. @throws CrestError */
function stepsOf(path: string): string[] {
  const steps = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  if (steps.length === 1 && steps[0] === '') return [];
  return steps.map((step) => {
    const decoded = decodedStep(step);
    if (decoded === '' || /\p{Cc}/u.test(decoded)) throw badRequest('the path has an id that is not allowed');
    return decoded;
  });
}

function decodedStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    throw badRequest('the path is not percent-encoded UTF-8');
  }
}

/** Parameters for the provider. An action gets reserved names too that no other part reads. */
function additionalOf(parameters: Parameters, operation: CrestOperation): CrestCall['additional'] {
  const isRead = (name: string): boolean =>
    operation.kind === 'action' ? ['_action', '_fields', '_prettyPrint'].includes(name) : name.startsWith('_');
  const names = parameters.names.filter((name) => !isRead(name));
  return Object.fromEntries(names.map((name) => [name, parameters.single(name)]));
}

function isPretty(parameters: Parameters | null): boolean {
  try {
    return parameters?.flag('_prettyPrint') ?? false;
  } catch {
    return false;
  }
}
