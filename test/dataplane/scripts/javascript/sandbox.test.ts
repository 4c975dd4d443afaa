import { expect, it } from 'vitest';
import { entrance, operation } from '../../../../dataplane/scripts/javascript/prelude/operations.ts';
import { QuickJs, QuickJsLost } from '../../../../dataplane/scripts/javascript/quickjs.ts';
import { RunBudget } from '../../../../dataplane/scripts/javascript/run-budget.ts';
import { type Entering, Sandbox } from '../../../../dataplane/scripts/javascript/sandbox.ts';
import { wrappedScript } from '../../../../dataplane/scripts/javascript/script-text.ts';

const LIMITS = { milliseconds: 10_000, bytes: 32 * 1024 * 1024, depth: 300 };
const SETTINGS = JSON.stringify({ constants: [], hasVariables: false, mentions: {}, globals: {} });

const entering = (id: number, limits = LIMITS): Entering => ({
  id,
  budget: new RunBudget(limits),
  promise: 0,
  passed: 0,
  isPassing: false,
});

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

const PASSING = 'return next(request)';

/** A script that runs once, and its run. */
async function passing(text: string): Promise<{ run: Entering; sandbox: Sandbox; failures: string[]; done: number[] }> {
  const quickJs = await QuickJs.create(LIMITS.bytes);
  const run = entering(1);
  const failures: string[] = [];
  const done: number[] = [];
  const sandbox = new Sandbox(quickJs, LIMITS, (name, _run, given) => {
    if (name === operation.next) run.passed = given.object(1);
    if (name === operation.failed) failures.push(given.text(0));
    if (name === operation.done) done.push(given.number(2));
    return undefined;
  });
  const names = { own: ['request', 'next', 'globals'], constants: [], heap: [], variables: [] };
  sandbox.load(wrappedScript(text, names), 'script', SETTINGS);
  expect(sandbox.enter(run, entrance.begin, 1, 0)).toBe(true);
  return { run, sandbox, failures, done };
}

it.each([
  ['is returned at once', PASSING],
  ['is returned from a variable', 'const passed = next(request); const list = [passed]; return list[0]'],
  ['has no use in jobs that run', `Promise.resolve().then(() => {}); ${PASSING}`],
])('needs no second entry if the promise of next %s', async (_, text) => {
  const { run, failures } = await passing(text);
  expect(run).toMatchObject({ isPassing: true, promise: 0 });
  expect(failures).toEqual([]);
});

it.each([
  ['has a reaction', 'const passed = next(request); passed.then(() => {}); return passed'],
  ['has a reaction for failures', 'const passed = next(request); passed.catch(() => {}); return passed'],
  ['is in globals', 'return (globals.passed = next(request))'],
  ['is in a function that is kept', 'const passed = next(request); globals.read = () => passed; return passed'],
  ['is in a cycle', 'const passed = next(request); const cycle = { passed }; cycle.self = cycle; return passed'],
  ['has a weak reference', 'const passed = next(request); globals.weak = new WeakRef(passed); return passed'],
  ['is awaited', 'return await next(request)'],
  ['is not the last one', 'const passed = next(request); next(request); return passed'],
])('goes on with the response if the promise of next %s', async (_, text) => {
  const { run, sandbox, failures, done } = await passing(text);
  expect(run.isPassing).toBe(false);
  expect(run.promise).not.toBe(0);
  expect(sandbox.enter(run, entrance.arrived, 1, 204, 1)).toBe(true);
  expect(done).toEqual([204]);
  expect(failures).toEqual([]);
});

it('keeps nothing of a run whose response is not seen', async () => {
  const quickJs = await QuickJs.create(LIMITS.bytes);
  let run = entering(0);
  const sandbox = new Sandbox(quickJs, LIMITS, (name, _run, given) => {
    if (name === operation.next) run.passed = given.object(1);
    return undefined;
  });
  const names = { own: ['request', 'next', 'globals'], constants: [], heap: [], variables: [] };
  sandbox.load(wrappedScript(PASSING, names), 'script', SETTINGS);
  const runs = (from: number, to: number): number => {
    for (let id = from; id < to; id++) {
      run = entering(id);
      sandbox.enter(run, entrance.begin, id, 0);
      expect(run.isPassing).toBe(true);
    }
    return sandbox.bytes;
  };
  const before = runs(1, 20);
  expect(runs(20, 200) - before).toBeLessThan(1000);
});
