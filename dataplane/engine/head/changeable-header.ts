import type { z } from 'zod';
import { Headers } from './headers.ts';

/** A schema of names, of which only those of headers pass that a configuration can remove and add. */
export function changeableHeader<S extends z.ZodType<string>>(schema: S): S {
  return schema.refine((name) => faultOf(name) === null, { error: ({ input }) => faultOf(input as string)! });
}

/** The headers themselves know what they refuse and what they keep for the engine. */
function faultOf(name: string): string | null {
  if (name === '') return 'the name of a header must not be empty';
  const headers = Headers.empty();
  try {
    headers.append(name, 'h');
  } catch {
    return `'${name}' is not the name of a header`;
  }
  if (headers.has(name)) return null;
  return `'${name}' cannot be changed: the gateway sets it for each connection`;
}
