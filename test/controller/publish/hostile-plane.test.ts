import { afterEach, expect, it } from 'vitest';
import { publishedRoute, publishedState } from '../../support/published-routes.ts';
import { ServedChannel } from '../../support/served-channel.ts';

let channel: ServedChannel;

afterEach(() => channel.close());

const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;

const HALF_CHARACTER = '\\ud800';

it.each([
  ['a label with half a character in its name', `{"${HALF_CHARACTER}":"a"}`, PERMISSION_DENIED],
  ['a label with half a character and no value', `{"${HALF_CHARACTER}":1}`, INVALID_ARGUMENT],
  ['a label with a long name and no value', `{"${'a'.repeat(100_000)}":1}`, INVALID_ARGUMENT],
])('a hello with %s is refused and does no harm', async (_, labels, code) => {
  channel = await new ServedChannel({}).start();
  channel.sessions.publish(publishedState([publishedRoute('a')]));
  const hello = `{"type":"hello","protocol":1,"version":"1","catalogue":"c","units":1,"name":"edge-1","labels":${labels},"holds":{"revision":null,"base":null,"routes":[]}}`;
  const hostile = channel.plane().sendBytes(Buffer.from(hello));
  expect((await hostile.ended).code).toBe(code);
  const plane = channel.plane().hello();
  expect((await plane.update()).set).toHaveLength(1);
});
