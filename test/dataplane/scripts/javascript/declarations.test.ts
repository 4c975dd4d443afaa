import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { catalogue } from '../../../../dataplane/catalogue/catalogue.ts';
import { startFiltered } from '../../../support/gateways/filtered-gateway.ts';
import { runProgram } from '../../../support/programs/run-program.ts';

const folder = new URL('../../../../examples/scripts/scripts/javascript/', import.meta.url);
const compiler = new URL('../../../../node_modules/.bin/tsc', import.meta.url).pathname;

/** Messages of the compiler for these files, with the declarations and the settings of the example. */
async function compiled(files: Readonly<Record<string, string>>): Promise<string[]> {
  const place = mkdtempSync(join(tmpdir(), 'gatewarden-declarations-'));
  onTestFinished(() => rm(place, { recursive: true }));
  for (const name of ['gatewarden.d.ts', 'jsconfig.json']) cpSync(new URL(name, folder), join(place, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const { stdout } = await runProgram(compiler, ['-p', join(place, 'jsconfig.json'), '--pretty', 'false']);
  return stdout.split('\n').filter((line) => line.includes('error'));
}

/** A script as the gateway runs it: the body of a function. */
const asFunction = (text: string): string => `export const script = async () => {\n${text}\n};\n`;

interface Example {
  readonly type?: string;
  readonly source?: string | readonly string[];
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Scripts in JavaScript of the reference pages. */
function documented(): [string, string][] {
  return catalogue.definitions.flatMap(({ type, examples = [] }) =>
    examples.flatMap(({ config }, at): [string, string][] => {
      const { type: language, source = [], args = {} } = (config ?? {}) as Example;
      if (language !== 'application/javascript') return [];
      const variables = Object.entries(args).map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`);
      return [[`${type}${at}.js`, asFunction([...variables, [source].flat().join('\n')].join('\n'))]];
    }),
  );
}

it('accepts the scripts of the example, of the page and of the reference', async () => {
  const page = readFileSync(new URL('../../../../docs/scripts.md', import.meta.url), 'utf8');
  const sources = [...page.matchAll(/"type": "application\/javascript",\s*"source": (\[[^\]]*\])/g)];
  expect(sources.length).toBeGreaterThan(0);
  const files = {
    'arguments.d.ts': 'declare const stock: Record<string, number>;\n',
    'stock.js': asFunction(readFileSync(new URL('stock.js', folder), 'utf8')),
    ...Object.fromEntries(
      sources.map(([, source], at) => [`page${at}.js`, asFunction((JSON.parse(source!) as string[]).join('\n'))]),
    ),
    ...Object.fromEntries(documented()),
  };
  expect(Object.keys(files).length).toBeGreaterThan(4);
  expect(await compiled(files)).toEqual([]);
});

it('accepts results of all kinds of scripts', async () => {
  const results = [
    "/** @type {() => ThrottlingRate | null} */ export const rate = () => ({ requests: 5, duration: '1 minute' });",
    "/** @type {() => AccessTokenInfo | null} */ export const info = () => ({ token, info: { sub: 'u' }, scopes: ['a'] });",
    '/** @type {() => readonly string[]} */ export const violations = () => (claims.sub === 1 ? [] : [claims.sub]);',
    '/** @type {(service: Http, clock: Clock, audit: AuditService) => Promise<Response>} */',
    'export const used = async (service, clock, audit) => {',
    "  await audit.publish('orders', { at: clock.millis(), day: clock.instant().getDay() });",
    "  const answer = await service.send('http://a.test/', { method: 'POST', headers: { 'X-A': ['1', '2'] }, body: { a: 1 } });",
    '  answer.entity = new Uint8Array(5);',
    '  request.entity = await answer.entity.form();',
    "  request.uri = 'http://b.test/';",
    "  request.queryParams.set('a', 5);",
    '  return new Response(context.originalUri.length, { body: contexts.oauth2.accessToken.info });',
    '};',
  ];
  expect(await compiled({ 'results.js': results.join('\n') })).toEqual([]);
});

it.each([
  ['request.headers.gett("a")', "'gett' does not exist"],
  ['next().status', "'status' does not exist on type 'Promise<Response>'"],
  ['request.queryParams = 1', 'read-only'],
  ['http.send()', 'Expected 1-2 arguments'],
  ['new Response("200")', "'string' is not assignable"],
  ['process.env', "Cannot find name 'process'"],
  ['fetch("a")', "Cannot find name 'fetch'"],
])('rejects %s', async (source, message) => {
  expect(await compiled({ 'wrong.js': asFunction(source) })).toEqual([expect.stringContaining(message)]);
});

it('declares the members that the objects of scripts have', async () => {
  const source = [
    'const names = (object) => Object.getOwnPropertyNames(object).filter((name) => name !== "constructor")',
    'const above = Object.getPrototypeOf',
    'return new Response(200, { body: {',
    '  Headers: names(Headers.prototype), Request: names(Request.prototype), Response: names(Response.prototype),',
    '  Uri: names(Uri.prototype), URLSearchParams: names(URLSearchParams.prototype),',
    '  Entity: names(above(request.entity)), Http: names(above(http)), Logger: names(above(logger)),',
    '  Clock: names(above(clock)), AuditService: names(above(records)),',
    '  crypto: names(crypto), base64: names(base64), utf8: names(utf8), environment: names(environment),',
    '  Contexts: Object.keys(contexts), client: Object.keys(contexts.client), router: Object.keys(contexts.router),',
    '} })',
  ];
  const records = {
    name: 'records',
    type: 'AuditService',
    config: { config: { topics: {} }, eventHandlers: [] },
  };
  const { ask } = await startFiltered(
    [
      {
        type: 'ScriptableFilter',
        config: {
          type: 'text/javascript',
          source,
          args: { clock: "${heap['Clock']}", records: "${heap['records']}" },
        },
      },
    ],
    undefined,
    { document: { heap: [records] } },
  );
  const members = JSON.parse((await ask('/')).body) as Record<string, string[]>;
  const types: Record<string, string> = {
    ...{ crypto: 'typeof crypto', base64: 'typeof base64', utf8: 'typeof utf8', environment: 'typeof environment' },
    ...{ client: "Contexts['client']", router: "Contexts['router']" },
  };
  const lines = Object.entries(members).flatMap(([name, found]) => {
    const type = types[name] ?? name;
    // An index signature has all names.
    const known = `{ [K in keyof ${type} as string extends K ? never : K extends string ? K : never]: 1 }`;
    const list = found.map((each) => `'${each}'`).join(' | ');
    const others = name === 'Contexts' ? " | 'attributes' | 'session'" : '';
    return [
      `const all${name}: Record<keyof ${known}, 1> = {} as Record<${list}${others}, 1>;`,
      `const no${name}: Record<${list}, 1> = {} as Record<keyof ${known}, 1>;`,
      `export { all${name}, no${name} };`,
    ];
  });
  expect(await compiled({ 'members.ts': lines.join('\n') })).toEqual([]);
});
