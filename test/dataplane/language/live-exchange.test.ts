import { afterEach, expect, it } from 'vitest';
import { compileExpression } from '../../../contract/expression/expression.ts';
import { compileTarget } from '../../../contract/expression/target.ts';
import { textOf } from '../../../contract/expression/text.ts';
import { EvaluationError } from '../../../contract/expression/value.ts';
import type { Exchange } from '../../../dataplane/engine/message/exchange.ts';
import { textResponse } from '../../../dataplane/engine/message/response.ts';
import { ask } from '../../support/clients/answers.ts';
import { startGateway, type TestGateway } from '../../support/gateways/gateway.ts';
import { testLanguage } from '../../support/programs/evaluation.ts';

const language = testLanguage();
let gateway: TestGateway;
afterEach(() => gateway.close());

async function served(
  answer: (exchange: Exchange) => string | Promise<string>,
  head: string,
  content = '',
): Promise<string> {
  gateway = await startGateway({ handler: () => async (exchange) => textResponse(200, await answer(exchange)) });
  const { body } = await ask(gateway.port, head, content);
  return body;
}

it('is read from the bytes of a connection', async () => {
  const source =
    '${request.method} ${request.uri} ${request.headers["X-A"]} ${request.cookies["c"][0].value} ' +
    '${contexts.client.remoteAddress} ${contexts.router.originalUri} ${find(request.uri.path, "^/orders")}';
  const expression = compileExpression(source, language, 'linear');
  const head = 'GET /orders/1?a=b HTTP/1.1\r\nHost: gw.test\r\nX-A: 1\r\nx-a: 2\r\nCookie: c=d\r\n';
  expect(await served((exchange) => textOf(expression.evaluate(exchange, null)), head)).toBe(
    'GET http://gw.test/orders/1?a=b [1, 2] d 127.0.0.1 http://gw.test/orders/1?a=b true',
  );
});

it('has its entity only after it was read', async () => {
  const expression = compileExpression('${request.entity.json.a}', language, 'linear');
  const read = (exchange: Exchange): string => {
    try {
      return textOf(expression.evaluate(exchange, null));
    } catch (error) {
      return error instanceof EvaluationError ? error.message : String(error);
    }
  };
  const head = 'POST / HTTP/1.1\r\nHost: gw.test\r\nTransfer-Encoding: chunked\r\n';
  const body = '7\r\n{"a":5}\r\n0\r\n\r\n';
  const answer = async (exchange: Exchange): Promise<string> => {
    const before = read(exchange);
    await exchange.request.entity.bytes();
    return `${before}; ${read(exchange)}`;
  };
  expect(await served(answer, head, body)).toBe('the entity has not been read; 5');
});

it('is changed for the backend', async () => {
  const change = (exchange: Exchange): string => {
    compileTarget('${request.uri.path}', language).assign(exchange, null, '/new');
    compileTarget("${request.headers['X-A']}", language).assign(exchange, null, 'changed');
    return `${exchange.request.forwardTarget} ${exchange.request.headers.get('x-a')} ${exchange.router.originalUri}`;
  };
  const head = 'GET /old?q HTTP/1.1\r\nHost: gw.test\r\nX-A: 1\r\n';
  expect(await served(change, head)).toBe('/new?q changed http://gw.test/old?q');
});
