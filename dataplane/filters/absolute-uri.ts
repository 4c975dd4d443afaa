import type { z } from 'zod';
import { shown } from '../../contract/vocabulary/configured.ts';
import { type RuntimeExpression, runtimeText } from '../../contract/vocabulary/runtime.ts';
import { Uri } from '../engine/message/uri.ts';

/** A runtime expression that gives an absolute URI. One that is the same for all requests is judged at once. */
export function runtimeUri(): z.ZodType<RuntimeExpression<string>, unknown> {
  return runtimeText()
    .refine(({ compiled, source }) => compiled !== null || readAbsoluteUri(source) !== null, {
      error: ({ input }) =>
        `is not an absolute http or https URI: ${shown((input as RuntimeExpression<string>).source)}`,
    })
    .meta({ label: 'runtime expression<url>', json: { type: 'string' } });
}

/** The URI that a text says, or null when it is not an absolute one with a host. */
export function readAbsoluteUri(text: string): Uri | null {
  try {
    const uri = Uri.parse(text);
    return uri.host !== '' && (uri.scheme === 'http' || uri.scheme === 'https') ? uri : null;
  } catch {
    return null;
  }
}
