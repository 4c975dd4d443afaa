import type { Response } from '../../engine/message/response.ts';
import type { Changes } from './header-changes.ts';
import type { SentRequest, SentResponse } from './messages.ts';

/** A message as the script wrote it, beside changed headers of one that came. */
export type Written<Sent> = Omit<Sent, 'headers'> & { readonly headers?: string };

/** The script passed its request on: the rest of the chain gets it as soon as the script waits. */
export interface PassedOn {
  readonly call: number;
  readonly headers: Changes;
  readonly rest: Written<SentRequest> | null;
  readonly bytes: Uint8Array | null;
}

/** The result of a script, until its run ends. */
export type Result =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'passed'; readonly response: Response }
  | { readonly kind: 'response'; readonly sent: SentResponse; readonly bytes: Uint8Array | null }
  | { readonly kind: 'failed'; readonly reason: string; readonly line: number };
