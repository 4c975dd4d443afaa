import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { repositoryRoot } from '../house/source-file.ts';
import { copyOfExamples } from '../support/programs/example-copy.ts';
import { followPage } from '../support/programs/followed-page.ts';
import { readWalkthrough, shownOutput } from '../support/programs/walkthrough.ts';

/** Followed by test/cluster/walkthrough.test.ts, and by test/node/walkthrough.test.ts on docs/getting-started.md. */
const ELSEWHERE = ['cluster', 'chart'];

const folders = readdirSync(`${repositoryRoot}/examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

describe('the examples', () => {
  it('are all in the list', () => {
    const page = readFileSync(`${repositoryRoot}/examples/README.md`, 'utf8');
    const listed = [...page.matchAll(/\]\(([\w-]+)\/README\.md\)/g)].map((match) => match[1]);
    expect(listed.toSorted()).toEqual(folders.toSorted());
  });

  const pages = [
    'README.md',
    ...folders.filter((name) => !ELSEWHERE.includes(name)).map((name) => `${name}/README.md`),
  ];

  it.each(pages)('behave as examples/%s shows', async (page) => {
    await followPage(await copyOfExamples(), `examples/${page}`);
  });
});

it('the README shows the real output of its commands', async () => {
  await followPage(await copyOfExamples(), 'README.md');
});

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
