import { expect, it } from 'vitest';
import { type Outcome, runProgram } from '../../support/programs/run-program.ts';

const module = new URL('../../../cli/actions/stop-signals.ts', import.meta.url).href;

/** Runs a program that prints `drained` when it drains and then ends with 0. @param steps what it does in one go */
function run(steps: string): Promise<Outcome> {
  const program = `
    import { endAtStopSignal, onStopSignal } from ${JSON.stringify(module)};
    setTimeout(() => {}, 60_000);
    const signal = (name) => process.kill(process.pid, name);
    const drain = async () => { process.stdout.write('drained\\n'); process.exit(0); };
    ${steps}`;
  return runProgram(process.execPath, ['--input-type=module', '--eval', program]);
}

it.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
])('%s ends a program that has nothing to drain yet with code %i', async (name, code) => {
  expect(await run(`endAtStopSignal(); signal('${name}');`)).toMatchObject({ code, stdout: '' });
});

it.each(['SIGTERM', 'SIGINT'])('%s drains', async (name) => {
  const steps = `endAtStopSignal(); onStopSignal(drain); signal('${name}');`;
  expect(await run(steps)).toMatchObject({ code: 0, stdout: 'drained\n' });
});

it.each(['SIGTERM', 'SIGINT'])('%s drains when it arrives while the program still starts', async (name) => {
  const steps = `endAtStopSignal(); signal('${name}'); onStopSignal(drain);`;
  expect(await run(steps)).toMatchObject({ code: 0, stdout: 'drained\n' });
});

it('a second signal ends a program that drains', async () => {
  const steps = `endAtStopSignal(); onStopSignal(async () => signal('SIGTERM')); signal('SIGINT');`;
  expect(await run(steps)).toMatchObject({ code: 143 });
});

it('a program that cannot drain says so and ends with code 1', async () => {
  const steps = `endAtStopSignal(); onStopSignal(async () => { throw new Error('no'); }); signal('SIGTERM');`;
  expect(await run(steps)).toMatchObject({ code: 1, stderr: 'gatewarden: could not drain: no\n' });
});
