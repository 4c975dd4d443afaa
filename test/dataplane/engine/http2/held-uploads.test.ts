import { connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { bodyOf, type StreamHandler } from '../../../support/backends/http2-backend.ts';
import { untilAnswers } from '../../../support/clients/answers.ts';
import { send } from '../../../support/gateways/proxied-backend.ts';
import { startProxiedHttp2 } from '../../../support/gateways/proxied-http2.ts';

/** A little more than a backend's first window, so that the end of it waits here when all of it has come. */
const CONTENT = 'x'.repeat(65_700);
/** All of it may be sent to the gateway at once. */
const LONGER = 'x'.repeat(200_000);
const UPLOADS = 40;

const measure: StreamHandler = async (stream) => {
  const { length } = await bodyOf(stream);
  stream.respond({ ':status': 200 });
  stream.end(`${length}`);
};

it('serves the next request of an HTTP/1.1 client after an upload whose end waited for the backend', async () => {
  const { client } = await startProxiedHttp2(measure);
  const one = await client();
  for (let i = 1; i <= UPLOADS; i++) {
    one.send(send('POST', '/', CONTENT));
    expect((await untilAnswers(one, i)).at(-1)!.body).toBe(`${CONTENT.length}`);
  }
});

it('returns the connection window to an HTTP/2 client after uploads whose end waited for the backend', async () => {
  const { gateway } = await startProxiedHttp2(measure);
  const session = connect(`http://127.0.0.1:${gateway.port}`);
  for (let i = 0; i < UPLOADS; i++) {
    const stream = session.request({ ':method': 'POST', ':path': '/' });
    stream.end(LONGER);
    expect((await buffer(stream)).toString()).toBe(`${LONGER.length}`);
  }
  session.destroy();
});

it('answers 500 when the content that a filter put in place of an upload cannot be read', async () => {
  const discard: StreamHandler = (stream) => void stream.resume().on('error', () => {});
  const { client } = await startProxiedHttp2(discard, {
    handler: (backend) => (exchange) => {
      exchange.request.entity.setStream(
        (async function* () {
          yield Buffer.from('half');
          throw new Error('the source is gone');
        })(),
      );
      return backend(exchange);
    },
  });
  const one = await client();
  one.send(send('POST', '/', CONTENT));
  expect((await untilAnswers(one, 1))[0]!.status).toBe(500);
});
