import type { Shape } from '../../contract/expression/language.ts';
import { statusText } from '../engine/head/status-text.ts';
import type { Response } from '../engine/message/response.ts';

/** Families of status codes, by their first digit. */
const FAMILIES = ['INFORMATIONAL', 'SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR'] as const;

/** The status of a response. */
export class Status {
  readonly code: number;
  readonly reasonPhrase: string;

  constructor(response: Response) {
    this.code = response.status;
    this.reasonPhrase = response.reason ?? statusText(response.status);
  }

  get family(): string {
    return FAMILIES[Math.floor(this.code / 100) - 1] ?? 'UNKNOWN';
  }
}

export const statusShape: Shape<Status> = {
  name: 'status',
  properties: {
    code: { get: (status) => status.code, kind: 'number' },
    reasonPhrase: { get: (status) => status.reasonPhrase, kind: 'text' },
    family: { get: (status) => status.family, kind: 'text' },
    isInformational: { get: (status) => status.family === 'INFORMATIONAL', kind: 'boolean' },
    isSuccessful: { get: (status) => status.family === 'SUCCESSFUL', kind: 'boolean' },
    isRedirection: { get: (status) => status.family === 'REDIRECTION', kind: 'boolean' },
    isClientError: { get: (status) => status.family === 'CLIENT_ERROR', kind: 'boolean' },
    isServerError: { get: (status) => status.family === 'SERVER_ERROR', kind: 'boolean' },
    informational: { get: (status) => status.family === 'INFORMATIONAL', kind: 'boolean' },
    successful: { get: (status) => status.family === 'SUCCESSFUL', kind: 'boolean' },
    redirection: { get: (status) => status.family === 'REDIRECTION', kind: 'boolean' },
    clientError: { get: (status) => status.family === 'CLIENT_ERROR', kind: 'boolean' },
    serverError: { get: (status) => status.family === 'SERVER_ERROR', kind: 'boolean' },
  },
  text: (status) => `[Status: ${status.code} ${status.reasonPhrase}]`,
};
