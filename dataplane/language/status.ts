import type { Shape } from '../../contract/expression/language.ts';
import type { Response } from '../http/response.ts';
import { statusText } from '../http/status-text.ts';

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
    code: { get: (status) => status.code },
    reasonPhrase: { get: (status) => status.reasonPhrase },
    family: { get: (status) => status.family },
    isInformational: { get: (status) => status.family === 'INFORMATIONAL' },
    isSuccessful: { get: (status) => status.family === 'SUCCESSFUL' },
    isRedirection: { get: (status) => status.family === 'REDIRECTION' },
    isClientError: { get: (status) => status.family === 'CLIENT_ERROR' },
    isServerError: { get: (status) => status.family === 'SERVER_ERROR' },
    informational: { get: (status) => status.family === 'INFORMATIONAL' },
    successful: { get: (status) => status.family === 'SUCCESSFUL' },
    redirection: { get: (status) => status.family === 'REDIRECTION' },
    clientError: { get: (status) => status.family === 'CLIENT_ERROR' },
    serverError: { get: (status) => status.family === 'SERVER_ERROR' },
  },
  text: (status) => `[Status: ${status.code} ${status.reasonPhrase}]`,
};
