import { describe, expect, it } from 'vitest';
import { answerCrest } from '../../../contract/crest/answer-crest.ts';
import type { CrestEndpoint } from '../../../contract/crest/provider.ts';
import { MemoryCollection } from '../../support/crest/memory-collection.ts';

const code = Buffer.from('<script>fetch("/api/routes")</script>').toString('base64url');
const documents = (): CrestEndpoint => ({
  kind: 'collection',
  provider: new MemoryCollection({ page: { code } }).provider,
});
const read = (type: string) =>
  answerCrest(documents(), {
    ...{ method: 'GET', path: 'page', query: `_fields=code&_mimeType=${encodeURIComponent(type)}` },
    ...{ header: () => null, body: Buffer.alloc(0), url: 'http://gw.test/api/documents' },
  });

describe('a field with a media type of the caller', () => {
  it.each(['text/html', 'application/xhtml+xml', 'image/svg+xml', 'text/xml', 'application/pdf', 'text/plain'])(
    'is sent as %s in a sandbox without scripts',
    async (type) => {
      const { status, headers } = await read(type);
      expect([status, headers['content-type']]).toEqual([200, `${type};charset=UTF-8`]);
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
    },
  );

  it.each([
    ...['text/javascript', 'TEXT/JavaScript;charset=x', 'application/javascript', 'application/x-javascript'],
    ...['text/javascript1.5', 'text/ecmascript', 'application/ecmascript', 'text/jscript', 'text/livescript'],
    ...['text/css', 'application/wasm'],
  ])('is not sent as %s, which pages of the same server could load', async (type) => {
    const { status, body } = await read(type);
    expect(status).toBe(400);
    expect(JSON.parse(String(body))).toMatchObject({ message: '_mimeType must not be a type of scripts or styles' });
  });
});
