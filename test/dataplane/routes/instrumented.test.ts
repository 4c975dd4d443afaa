import { describe, expect, it } from 'vitest';
import type { Answer, Exchange, Next } from '../../../dataplane/engine/message/exchange.ts';
import { faultResponse } from '../../../dataplane/engine/message/fault.ts';
import { mapResponse, Reply } from '../../../dataplane/engine/message/reply.ts';
import { Response } from '../../../dataplane/engine/message/response.ts';
import { instrumented, Lease } from '../../../dataplane/routes/instrumented.ts';

const exchange = { startedAt: 0, over: false } as Exchange;
const gone = { startedAt: 0, over: true } as Exchange;

/** Runs a handler at the boundary of a route. @returns the status, what was counted, and whether the route is free. */
async function run(handler: Next, settle: (reply: Reply) => void = () => {}, at: Exchange = exchange) {
  const lease = new Lease();
  const counted: string[] = [];
  const failures: unknown[] = [];
  const figures = {
    begin: () => counted.push('begin'),
    end: (status: number, _: number, failed: boolean) => counted.push(`${status}${failed ? ' failed' : ''}`),
    endUnanswered: () => counted.push('unanswered'),
  };
  const failed = (error: unknown): unknown => failures.push(error);
  const answer = instrumented({ handler, figures, lease, sessions: null, id: null, failed })(at);
  if (answer instanceof Reply) settle(answer);
  const { status } = await answer;
  let free = false;
  lease.onceFree(() => {
    free = true;
  });
  return { status, counted, failures, free };
}

const settled = (reply: Reply): void => reply.settle(new Response(201));
const broken = new Error('broken');

describe('the boundary of a route', () => {
  it('does not report failures after the client disconnected', async () => {
    const outcome = await run(() => Promise.reject(broken), settled, gone);
    expect(outcome).toMatchObject({ counted: ['begin', '500 failed'], failures: [], free: true });
  });

  it.each<[string, Next, string[]]>([
    ['an answer', () => new Response(204), ['begin', '204']],
    ['an answer that tells of a failure', () => Object.assign(new Response(502), { cause: broken }), ['begin', '502']],
    ['what a route inside of it made of an exception', () => faultResponse(broken, () => {}), ['begin', '500 failed']],
    ['a promise', async () => new Response(200), ['begin', '200']],
    ['an answer that comes later', (at) => new Reply(at), ['begin', '201']],
    ['a step on it', (at) => mapResponse(new Reply(at), at, () => new Response(203)), ['begin', '203']],
    ['no answer', () => null as unknown as Answer, ['begin', 'unanswered']],
    ['the promise of none', async () => null as unknown as Response, ['begin', 'unanswered']],
  ])('counts %s', async (_, handler, expected) => {
    expect(await run(handler, settled)).toMatchObject({ counted: expected, failures: [], free: true });
  });

  it.each<[string, Next]>([
    [
      'throws',
      () => {
        throw broken;
      },
    ],
    ['rejects', () => Promise.reject(broken)],
    [
      'throws in a step of an answer that comes later',
      (at) =>
        mapResponse(new Reply(at), at, () => {
          throw broken;
        }),
    ],
    ['rejects in such a step', (at) => mapResponse(new Reply(at), at, () => Promise.reject(broken))],
    [
      'throws in a step before another',
      (at) => {
        const reply = mapResponse(new Reply(at), at, () => {
          throw broken;
        });
        return mapResponse(reply, at, (response) => response);
      },
    ],
  ])('answers 500 for a handler that %s, once', async (_, handler) => {
    expect(await run(handler, settled)).toEqual({
      status: 500,
      counted: ['begin', '500 failed'],
      failures: [broken],
      free: true,
    });
  });

  it('does not make the engine keep the head of the request', () => {
    const figures = { begin() {}, end() {}, endUnanswered() {} };
    const handler: Next = (at) => new Reply(at);
    const route = instrumented({ handler, figures, lease: new Lease(), sessions: null, id: null, failed() {} });
    const answer = route(exchange);
    expect((answer as Reply).watched).toBe(false);
  });
});
