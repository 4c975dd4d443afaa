import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { Terminal } from '../support/terminal.ts';
import { OWN_TERMINAL, readWalkthrough, type Step, shownLine, shownOutput } from '../support/walkthrough.ts';

/** The ports that the pages use; others take their place, because tests run side by side. */
const PORTS = /\b(?:8080|8081|8082|8443|9090)\b/g;

const folders = readdirSync(`${repositoryRoot}/examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('the examples', () => {
  it('are all in the list', () => {
    const page = readFileSync(`${repositoryRoot}/examples/README.md`, 'utf8');
    const listed = [...page.matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map((match) => match[1]);
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });

  it.each(['README.md', ...folders.map((name) => `${name}/README.md`)])(
    'do what examples/%s shows',
    { timeout: 180_000 },
    async (page) => {
      const root = await copyOfExamples();
      const steps = readWalkthrough(readFileSync(`${root}/examples/${page}`, 'utf8'));
      expect(steps.filter(({ does }) => does === 'run')).not.toEqual([]);
      const terminals = new Map<string, Terminal>();
      onTestFinished(async () => {
        for (const terminal of terminals.values()) await terminal.close();
      });
      for (const step of steps) {
        const terminal = terminals.get(step.terminal) ?? new Terminal(root, environment(root));
        terminals.set(step.terminal, terminal);
        await follow(step, terminal);
      }
    },
  );
});

async function follow(step: Step, terminal: Terminal): Promise<void> {
  if (step.does === 'run' && step.terminal === OWN_TERMINAL) {
    const printed = await terminal.run(step.command);
    const whole = printed === '' || printed.endsWith('\n') ? printed : `${printed}\n`;
    // As text where they differ, because nobody reads the pattern.
    if (!shownOutput(step.shown).test(whole)) expect(whole, step.command).toBe(`${step.shown.join('\n')}\n`);
    return;
  }
  if (step.does === 'run') terminal.type(asOnATerminal(step.command));
  if (step.does === 'interrupt') await terminal.interrupt();
  await terminal.shows(step.shown.filter((line) => line !== '…').map(shownLine));
}

/** Readers have a terminal in front of them, where changes are told as text; here it is a pipe. */
function asOnATerminal(command: string): string {
  return command.replace(/\bgatewarden run\b/, '$& --reports text');
}

/** The examples in a folder of their own where they may be changed, with the program beside them. */
async function copyOfExamples(): Promise<string> {
  const root = mkdtempSync(`${tmpdir()}/gatewarden-examples-`);
  onTestFinished(() => rmSync(root, { recursive: true }));
  cpSync(`${repositoryRoot}/examples`, `${root}/examples`, { recursive: true });
  for (const name of ['cli', 'node_modules']) symlinkSync(`${repositoryRoot}/${name}`, `${root}/${name}`);
  const ports = await freePorts(5);
  const known = new Map<string, string>();
  const portOf = (port: string): string => {
    if (!known.has(port)) known.set(port, String(ports[known.size]));
    return known.get(port)!;
  };
  for (const entry of readdirSync(`${root}/examples`, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = `${entry.parentPath}/${entry.name}`;
    // Byte by byte, because some of them are keystores.
    writeFileSync(file, readFileSync(file, 'latin1').replace(PORTS, portOf), 'latin1');
  }
  // curl shows how far it is when its output is not a terminal, which no reader of the pages sees.
  writeFileSync(`${root}/.curlrc`, 'silent\nshow-error\n');
  return root;
}

function environment(root: string): NodeJS.ProcessEnv {
  return { ...process.env, CURL_HOME: root, LC_ALL: 'C.UTF-8', PWD: root };
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

describe('a page', () => {
  it('is read block by block', () => {
    const page = [
      '```console server',
      '$ serve',
      'ready',
      '```',
      'Text, and `$ no command`.',
      '```console',
      "$ ask 'twice",
      "> or more'",
      'answer',
      '',
      '$ again',
      '```',
      '```sh',
      '$ not this',
      '```',
      '```console server',
      'asked',
      '^C',
      'stopped',
      '```',
    ].join('\n');
    expect(readWalkthrough(page)).toEqual([
      { does: 'run', terminal: 'server', command: 'serve', shown: ['ready'] },
      { does: 'run', terminal: '', command: "ask 'twice\nor more'", shown: ['answer', ''] },
      { does: 'run', terminal: '', command: 'again', shown: [] },
      { does: 'watch', terminal: 'server', shown: ['asked'] },
      { does: 'interrupt', terminal: 'server', shown: ['stopped'] },
    ]);
  });

  it.each([
    [['a (b)', 'c'], 'a (b)\nc\n', true],
    [['a'], 'a\nb\n', false],
    [['a', 'b'], 'a\n', false],
    [[], '', true],
    [[], 'a\n', false],
    [['Date: …'], 'Date: today\n', true],
    [['Date: …'], 'Datum: heute\n', false],
    [['a', '…', 'd'], 'a\nb\nc\nd\n', true],
    [['a', '…', 'd'], 'a\nd\n', true],
    [['a', '…', 'd'], 'a\nb\n', false],
    [['…'], '', true],
    [['a.c'], 'abc\n', false],
  ])('shows %j and fits %j: %s', (shown, printed, fits) => {
    expect(shownOutput(shown).test(printed)).toBe(fits);
  });
});
