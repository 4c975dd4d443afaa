import { expect, it, onTestFinished } from 'vitest';
import { FLAG, FRAME } from '../../../../dataplane/engine/frames/frames.ts';
import { textResponse } from '../../../../dataplane/engine/message/response.ts';
import { FrameClient, frame, GET, headersFrame } from '../../../support/clients/frame-client.ts';
import { startGateway } from '../../../support/gateways/gateway.ts';

const CONNECT = [
  [':method', 'CONNECT'],
  [':protocol', 'websocket'],
  [':scheme', 'http'],
  [':path', '/socket'],
  [':authority', 'gateway.example'],
  ['sec-websocket-version', '13'],
] as const;
/** As much as the windows allow. */
const FRAMES = 260_000;

it('single bytes before the response to a tunnel cost no more than later ones', async () => {
  const gateway = await startGateway({
    handler: () => (exchange) =>
      exchange.request.upgrade === null ? textResponse(200, 'hello') : new Promise(() => {}),
  });
  onTestFinished(() => gateway.close());
  const client = await FrameClient.connect(gateway.port);
  for (const stream of [1, 3, 5]) {
    client.send(headersFrame(stream, CONNECT), Buffer.concat(Array(FRAMES).fill(frame(FRAME.DATA, 0, stream, 'x'))));
  }
  client.send(headersFrame(7, GET, FLAG.END_HEADERS | FLAG.END_STREAM));
  expect(await client.outcome(7)).toBe('200');
});
