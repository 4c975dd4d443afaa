import { expect, it, onTestFinished } from 'vitest';
import { describedExchange } from '../../../../dataplane/dry-run/described-exchange.ts';
import { javascript, ready } from '../../../../dataplane/scripts/javascript/javascript-language.ts';
import { ScriptExchange } from '../../../../dataplane/scripts/script-exchange.ts';
import { SCRIPT_LIMITS } from '../../../../dataplane/scripts/script-setting.ts';

it('answers others after a context was made, and before the scripts that wait for it run', async () => {
  await ready();
  const live = javascript.compile('return new Response(200)').open({
    ...{ kind: 'handler', realm: 'turns', surroundings: null, limits: SCRIPT_LIMITS },
    ...{ shapes: new Map(), properties: new Map(), args: new Map() },
  });
  onTestFinished(() => live.close?.());
  const order: string[] = [];
  const run = async (): Promise<void> => {
    const nowhere = (): never => {
      throw new Error('nobody sends a request');
    };
    const call = new ScriptExchange(describedExchange({}), null, new Map(), nowhere, () => {});
    const onHeld = (): void => {
      if (order.length > 0) return; // a run that takes long on a slow machine
      order.push('made');
      setImmediate(() => order.push('others'));
    };
    const onStart = (): void => void order.push('run');
    Object.assign(call, { onHeld, onStart });
    expect((await live.run(call)).kind).toBe('value');
  };
  await Promise.all([run(), run()]);
  expect(order).toEqual(['made', 'others', 'run', 'run']);
  await run();
  expect(order.slice(4)).toEqual(['run']);
});
