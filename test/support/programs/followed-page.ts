import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { Terminal } from './terminal.ts';
import { OWN_TERMINAL, readWalkthrough, type Step, shownLine, shownOutput } from './walkthrough.ts';

/** Does what a page says, in a copy of the examples, and expects what it shows. @param page such as `README.md` */
export async function followPage(
  root: string,
  page: string,
  { env = {}, patience }: { readonly env?: NodeJS.ProcessEnv; readonly patience?: number } = {},
): Promise<void> {
  const steps = readWalkthrough(readFileSync(`${root}/${page}`, 'utf8'));
  expect(steps.filter(({ does }) => does === 'run')).not.toEqual([]);
  const terminals = new Map<string, Terminal>();
  onTestFinished(async () => {
    for (const terminal of terminals.values()) await terminal.close();
  });
  const all = { ...process.env, CURL_HOME: root, LC_ALL: 'C.UTF-8', PWD: root, ...env };
  for (const step of steps) {
    const terminal = terminals.get(step.terminal) ?? new Terminal(root, all, patience);
    terminals.set(step.terminal, terminal);
    await follow(step, terminal);
  }
}

/** What kubectl's client library says now and then of a watch that it ends itself. */
const KUBECTL_REMARK = /^[IW]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ reflector\.go:.*\n/gm;

async function follow(step: Step, terminal: Terminal): Promise<void> {
  if (step.does === 'run' && step.terminal === OWN_TERMINAL) {
    const printed = (await terminal.run(step.command)).replace(KUBECTL_REMARK, '');
    const whole = printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`;
    // As text where they differ, because nobody reads the pattern.
    if (!shownOutput(step.shown).test(whole)) expect(whole, step.command).toBe(`${step.shown.join('\n')}\n`);
    return;
  }
  if (step.does === 'run') terminal.type(asOnATerminal(step.command));
  if (step.does === 'interrupt') await terminal.interrupt();
  await terminal.shows(step.shown.filter((line) => line !== '…').map(shownLine));
}

/** Readers have a terminal in front of them, where logs are text; here it is a pipe. */
function asOnATerminal(command: string): string {
  return command
    .replace(/\bgatewarden (run|proxy|dataplane|controller)\b/, '$& --log-format text')
    .replace(/\bgatewarden (run|proxy|dataplane)\b/, '$& --access-log-format text');
}
