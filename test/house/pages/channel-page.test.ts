import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHANNEL_METHOD, CHANNEL_PROTOCOL } from '../../../contract/channel.ts';
import {
  decodeControllerMessage,
  decodePlaneMessage,
  MAX_MESSAGE_BYTES,
  MOST_CONTAINERS,
} from '../../../contract/channel-codec.ts';
import { routeHash } from '../../../contract/route-hash.ts';
import { defaultSessionSettings } from '../../../controller/publish/channel/session-settings.ts';
import { repositoryRoot } from '../source-file.ts';
import { interfaceFields } from './interface-fields.ts';

const read = (path: string): string => readFileSync(`${repositoryRoot}/${path}`, 'utf8');
const page = read('docs/channel.md');
const sources = ['contract/channel.ts', 'contract/snapshot.ts', 'contract/problem.ts'];
const fields = new Map(sources.flatMap((path) => [...interfaceFields(read(path))]));

/** The interface of each section; fields that it inherits have rows too. */
const sections: readonly [heading: string, interfaces: readonly string[]][] = [
  ['hello', ['Hello']],
  ['Held', ['Held']],
  ['ack', ['Ack']],
  ['RouteProblems', ['RouteProblems']],
  ['Problem', ['Problem']],
  ['nack', ['Nack']],
  ['recalled', ['Recalled']],
  ['explained', ['Explained']],
  ['report', ['Report']],
  ['BackendsSummary', ['BackendsSummary']],
  ['RouteReport', ['RouteKey', 'RouteReport']],
  ['notice', ['Notice']],
  ['refresh', ['RefreshNews']],
  ['heartbeat', ['Heartbeat']],
  ['welcome', ['Welcome']],
  ['update', ['UpdateMessage']],
  ['RouteEntry', ['RouteEntry']],
  ['SourceVersion', ['SourceVersion']],
  ['BaseEntry', ['BaseEntry']],
  ['PlaneTrust', ['PlaneTrust']],
  ['SharedResource', ['ForbiddenAddresses']],
  ['SharedObjects', ['SharedObjects']],
  ['GroupSessionKeys', ['GroupSessionKeys']],
  ['ServerCertificate', ['ServerCertificate']],
  ['ServiceEndpoints', ['ServiceEndpoints']],
  ['ServiceTarget', ['ServiceTarget']],
  ['recall', ['Recall']],
  ['explain', ['Explain']],
  ['DescribedRequest', ['DescribedRequest']],
  ['goaway', ['GoAway']],
];

const section = (heading: string): string => page.split(`### ${heading}\n`)[1]?.split(/^#/m)[0] ?? '';
const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map((block) => block[1]!);

describe('docs/channel.md', () => {
  it.each(sections)('has a row for every field of %s', (heading, interfaces) => {
    const rows = [...section(heading).matchAll(/^\| `(\w+)` /gm)].map((row) => row[1]);
    const known = interfaces.flatMap((name) => fields.get(name) ?? [`there is no interface ${name}`]);
    expect(rows).toEqual(known.filter((field) => field !== 'type'));
  });

  it('has a section for every message', () => {
    const types = [...read('contract/channel.ts').matchAll(/readonly type: '(\w+)'/g)].map((match) => match[1]);
    expect(types.filter((type) => section(type!) === '')).toEqual([]);
  });

  it('has an example of every message, and each is one', () => {
    const types = examples.map((text) => {
      const bytes = Buffer.from(text);
      const { type } = JSON.parse(text) as { type: string };
      const isController = ['welcome', 'update', 'recall', 'explain', 'goaway'].includes(type);
      expect((isController ? decodeControllerMessage(bytes) : decodePlaneMessage(bytes)).type).toBe(type);
      return type;
    });
    const known = [...read('contract/channel.ts').matchAll(/readonly type: '(\w+)'/g)].map((match) => match[1]);
    expect([...new Set(types)].toSorted()).toEqual(known.toSorted());
  });

  it('shows hashes that are right', () => {
    const update = examples.map((text) => decodeAny(text)).find((message) => message.type === 'update');
    const [route] = update!.set;
    expect(route!.hash).toBe(routeHash(route!));
    expect(page).toContain(`is \`${route!.hash}\``);
  });

  it('names the method, the version and the times that hold', () => {
    const { heartbeat, report, ackLimit, maxAge, largeUpdate, nackPause, recallTimeout, explainTimeout } =
      defaultSessionSettings;
    const texts = [
      `\`${CHANNEL_METHOD}\``,
      `| ${CHANNEL_PROTOCOL} (\`CHANNEL_PROTOCOL\`)`,
      `${MAX_MESSAGE_BYTES / 2 ** 20} MiB (\`MAX_MESSAGE_BYTES\`)`,
      `${MOST_CONTAINERS.toLocaleString('en-US')} objects and lists (\`MOST_CONTAINERS\`)`,
      `every \`welcome.heartbeat\` (by default ${heartbeat / 1000} s)`,
      `every \`welcome.report\` (by default ${report / 1000} s)`,
      `After ${ackLimit / 1000} s without an answer`,
      `only after ${nackPause / 1000} s`,
      `answered within ${recallTimeout / 1000} s`,
      `with \`explained\` within ${explainTimeout / 1000} s`,
      `updates of ${largeUpdate / 1024} KiB and more`,
    ];
    expect(texts.filter((text) => !page.includes(text))).toEqual([]);
    expect(maxAge).toBe(30 * 60_000);
  });
});

function decodeAny(text: string) {
  const bytes = Buffer.from(text);
  try {
    return decodeControllerMessage(bytes);
  } catch {
    return decodePlaneMessage(bytes);
  }
}
