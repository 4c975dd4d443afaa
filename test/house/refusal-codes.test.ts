import { describe, expect, it } from 'vitest';
import { refusalCodeBreaches } from './refusal-codes.ts';
import { readRepository } from './source-file.ts';

const inFilter = (text: string) => refusalCodeBreaches([{ path: 'dataplane/filters/a.ts', text }]);

describe('filters and handlers refuse with a code', () => {
  it('in this repository', () => {
    expect(refusalCodeBreaches(readRepository())).toEqual([]);
  });

  it('an answer with a status of an error, or with a computed one, is a breach', () => {
    const breach = 'dataplane/filters/a.ts:2 refuses without a code: use denials() of heap/denials.ts';
    expect(inFilter('//\nreturn new Response(403);')).toEqual([breach]);
    expect(inFilter('//\nreturn new Response(isBad ? 400 : 204);')).toEqual([breach]);
    expect(inFilter('//\nresponse.status = 503;')).toEqual([breach]);
  });

  it('a success or a redirect is not a refusal, and the engine is exempt', () => {
    expect(inFilter('new Response(204); new Response(302);')).toEqual([]);
    expect(
      refusalCodeBreaches([{ path: 'dataplane/engine/message/response.ts', text: 'new Response(status)' }]),
    ).toEqual([]);
  });
});
