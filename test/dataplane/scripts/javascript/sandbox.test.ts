import { expect, it } from 'vitest';
import { entrance, operation } from '../../../../dataplane/scripts/javascript/prelude/operations.ts';
import { QuickJs, QuickJsLost } from '../../../../dataplane/scripts/javascript/quickjs.ts';
import { RunBudget } from '../../../../dataplane/scripts/javascript/run-budget.ts';
import { type Entering, Sandbox } from '../../../../dataplane/scripts/javascript/sandbox.ts';
import { wrappedScript } from '../../../../dataplane/scripts/javascript/script-text.ts';

const LIMITS = { milliseconds: 10_000, bytes: 32 * 1024 * 1024, depth: 300 };
const SETTINGS = JSON.stringify({ constants: [], hasVariables: false, mentions: {}, globals: {} });

const entering = (id: number, limits = LIMITS): Entering => ({ id, budget: new RunBudget(limits), promise: 0 });

function sandboxWith(quickJs: QuickJs, text: string, failures: string[] = []): { sandbox: Sandbox; call(): number } {
  let call = 0;
  const sandbox = new Sandbox(quickJs, LIMITS, (name, _run, given) => {
    if (name === operation.next) call = given.number(0);
    if (name === operation.failed) failures.push(given.text(0));
    return name === operation.header ? 'value' : undefined;
  });
  const names = { own: ['request', 'next', 'globals'], constants: [], heap: [], variables: [] };
  sandbox.load(wrappedScript(text, names), 'script', SETTINGS);
  return { sandbox, call: () => call };
}

it('keeps nothing of a run', async () => {
  const failures: string[] = [];
  const quickJs = await QuickJs.create(LIMITS.bytes);
  const { sandbox, call } = sandboxWith(
    quickJs,
    "request.headers.set('X-B', request.headers.get('x-a')); const r = await next(request); r.headers.set('X', '1'); return r",
    failures,
  );
  const runs = (first: number, count: number): number => {
    for (let run = first; run < first + count; run++) {
      const entered = entering(run);
      sandbox.enter(entered, entrance.begin, run, 0);
      sandbox.enter(entered, entrance.arrived, call(), 200, 1);
    }
    return sandbox.bytes;
  };
  const before = runs(1, 500);
  expect(runs(501, 5000)).toBeLessThanOrEqual(before + 4096);
  expect(failures).toEqual([]);
});

it('gives all memory of a script back', async () => {
  const quickJs = await QuickJs.create(LIMITS.bytes);
  for (let turn = 0; turn < 40; turn++) {
    const { sandbox } = sandboxWith(quickJs, 'globals.list = Array.from({ length: 20000 }, (_, i) => `${i}`)');
    sandbox.enter(entering(1), entrance.begin, 1, 0);
    sandbox.close();
  }
  expect(quickJs.isLost).toBe(false);
  expect(quickJs.size).toBe(16 * 1024 * 1024);
});

it('keeps no copy of bytes that went to the host', async () => {
  const quickJs = await QuickJs.create(LIMITS.bytes);
  let taken = 0;
  const sandbox = new Sandbox(quickJs, LIMITS, (name, _run, given) => {
    if (name === operation.digest) taken += given.bytes(1)!.length;
    return name === operation.digest ? '' : undefined;
  });
  const text = "const bytes = new Uint8Array(1e6); for (let i = 0; i < 50; i++) crypto.digest('md5', bytes)";
  sandbox.load(wrappedScript(text, { own: [], constants: [], heap: [], variables: [] }), 'script', SETTINGS);
  sandbox.enter(entering(1), entrance.begin, 1, 0);
  expect(taken).toBe(50e6);
  expect(quickJs.size).toBe(16 * 1024 * 1024);
});

it('gives up the memory of an operation that does not end, and no other memory', async () => {
  const quickJs = await QuickJs.create(LIMITS.bytes);
  const other = await QuickJs.create(LIMITS.bytes);
  const { sandbox } = sandboxWith(quickJs, 'new Array(4294967295).forEach(() => {})');
  const failures: string[] = [];
  const { sandbox: sound } = sandboxWith(other, "throw new Error('ran')", failures);
  expect(() => sandbox.enter(entering(1, { ...LIMITS, milliseconds: 20 }), entrance.begin, 1, 0)).toThrow(QuickJsLost);
  expect(quickJs.isLost).toBe(true);
  sound.enter(entering(1), entrance.begin, 1, 0);
  expect(failures).toEqual(['"Error: ran"']);
});
