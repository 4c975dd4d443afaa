import type { ObservedStep } from './crest-rows.ts';

/** Returns why an answer of ours differs from the observed one by intent; null if it should not. */
export function wantedRouteDifference({ request, response }: ObservedStep, status: number): string | null {
  const { method, path, headers } = request;
  const isWrite = method === 'PUT' || method === 'PATCH';
  if (response.body === '(container page)') return 'the servlet container answered';
  if (/[?&]_(?:crest)?api\b/.test(path)) return 'descriptors are of OpenAPI 3, and have our schemas and version';
  if (path.includes('/monitoring') || request.body?.includes('"monitor"'))
    return 'there is no monitor of a single route';
  if (isWrite && response.status === 500 && status === 409) return 'a document that is not valid is a conflict';
  if (isWrite && response.status === 500 && status === 404) return 'a route that is not there cannot be updated';
  if (isWrite && response.status === 409 && status === 200) return 'a PUT without a condition updates, as specified';
  if (status === 201 && request.body?.includes('"condition": true')) return 'a condition may be a boolean';
  if (response.status === 400 && headers.some((line) => line.includes('protocol=2.2'))) return 'protocol 2.2 exists';
  if (!path.startsWith('/openig') && response.status === 404 && status === 200) return 'a bad update keeps the route';
  if (status === 404 && response.status === 404) return 'the body of 404 tells the paths';
  return null;
}
