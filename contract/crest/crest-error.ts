import type { JsonObject, JsonValue } from '../document/json-value.ts';
import { ValueProblem } from '../problem.ts';

/** Parts of an error that not every error has. */
export interface CrestErrorParts {
  /** Phrase in place of the usual one of the status. */
  readonly reason?: string;
  /** Machine-readable facts about the error. */
  readonly detail?: JsonValue;
  /** Message of the error behind this one, where a client may read it. */
  readonly causeMessage?: string;
  /** Headers that belong to the status, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that fails with a status. Every other error that a provider throws is a defect of the provider. */
export class CrestError extends Error {
  readonly status: number;
  readonly parts: CrestErrorParts;

  constructor(status: number, message = '', parts: CrestErrorParts = {}) {
    super(message);
    this.name = 'CrestError';
    this.status = status;
    this.parts = parts;
  }
}

/** Returns the body of an error. Without a message the reason is repeated. */
export function errorBody({ status, message, parts }: CrestError): JsonObject {
  const reason = parts.reason ?? REASONS.get(status) ?? 'Resource Exception';
  return {
    code: status,
    reason,
    message: message === '' ? reason : message,
    ...(parts.detail === undefined ? {} : { detail: parts.detail }),
    ...(parts.causeMessage === undefined ? {} : { cause: { message: parts.causeMessage } }),
  };
}

export function badRequest(message: string): CrestError {
  return new CrestError(400, message);
}

/** Reads a part of a request, of which a problem is an error of the client. @throws CrestError */
export function readPart<T>(read: () => T, part = ''): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    throw badRequest(part === '' ? error.message : `${part}: ${error.message}`);
  }
}

/** Phrases of the Common REST framework, which differ from those of HTTP in places. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [304, 'Not Modified'],
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [402, 'Payment Required'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [406, 'Not Acceptable'],
  [407, 'Proxy Authentication Required'],
  [408, 'Request Time-out'],
  [409, 'Conflict'],
  [410, 'Gone'],
  [411, 'Length Required'],
  [412, 'Precondition Failed'],
  [413, 'Request Entity Too Large'],
  [414, 'Request-URI Too Large'],
  [415, 'Unsupported Media Type'],
  [416, 'Requested range not satisfiable'],
  [417, 'Expectation Failed'],
  [428, 'Precondition Required'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [502, 'Bad Gateway'],
  [503, 'Service Unavailable'],
  [504, 'Gateway Time-out'],
  [505, 'HTTP Version not supported'],
]);
