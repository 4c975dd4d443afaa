import { describe, expect, it } from 'vitest';
import { type Compilation, Compiler } from '../../../controller/compile/compiler.ts';
import type { StrayFile } from '../../../controller/compile/instance-state.ts';
import { type LastGood, nothingGood } from '../../../controller/compile/last-good.ts';
import type { SourceFile } from '../../../controller/compile/source-file.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';
import { PlainChecker } from '../../support/gateways/plain-checker.ts';

/** An instance in memory: `config.json`, and files by their path below the configuration directory. */
class Instance {
  readonly checker = new PlainChecker();
  lastGood: LastGood = nothingGood;
  epoch = 0;
  strays: StrayFile[] = [];
  /** By path; such a directory has no files unless it had some before. */
  readonly faults = new Map<string, string>();
  private readonly compiler: Compiler;
  private readonly files = new Map<string, SourceFile>();

  constructor(files: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>> = {}) {
    const reach = operatorReach(env, {}, '/instance');
    const tokens = { reach, files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>() };
    this.compiler = new Compiler({ checker: this.checker, tokens, configDirectory: '/c' });
    this.write(files);
  }

  /** A text as it is, undefined for no file, anything else as JSON. */
  write(files: Readonly<Record<string, unknown>>): this {
    for (const [name, value] of Object.entries(files)) {
      if (value === undefined) this.files.delete(name);
      else {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        this.files.set(name, { path: `/c/${name}`, content: Buffer.from(text) });
      }
    }
    return this;
  }

  compile(): Compilation {
    const directories = new Map<string, SourceFile[] | null>();
    for (;;) {
      const config = this.files.get('config.json') ?? null;
      const { strays, faults, epoch } = this;
      const state = { config, strays, directories, faults, epoch };
      const compilation = this.compiler.compile(state, this.lastGood);
      if (compilation.missing.length === 0) {
        this.lastGood = compilation.lastGood;
        return compilation;
      }
      for (const path of compilation.missing) {
        const inside = [...this.files.values()].filter((file) => file.path.startsWith(`${path}/`));
        directories.set(path, this.faults.has(path) && inside.length === 0 ? null : inside);
      }
    }
  }
}

const config = { routers: [{ name: '_router' }] };

/** One line per route: router, id, name, and whether it refuses. */
function routesOf({ snapshot }: Compilation): string[] {
  return (snapshot?.routes ?? []).map(
    ({ router, id, name, refuses }) => `${router.replace('gateway.', '')} ${id} ${name}${refuses ? ' refuses' : ''}`,
  );
}

/** One line per file: its name, what serves, and the codes and paths of its problems. */
function verdictsOf({ verdicts }: Compilation): string[] {
  return verdicts.map(({ file, serves, problems }) =>
    [file.path.slice(3), serves, ...problems.map(({ code, path }) => `${code}:${path.join('.')}`)].join(' '),
  );
}

describe('the id, the name and the place of a route', () => {
  it.each<[string, Record<string, unknown>, string[], string[]]>([
    ['the file name without its extension', { 'a.json': {} }, ['_router a a'], ['a.json this']],
    ['a file name with a dot', { 'a.b.json': {} }, ['_router a.b a.b'], ['a.b.json this']],
    ['YAML', { 'a.yaml': 'name: z', 'b.yml': '{}' }, ['_router b b', '_router a z'], ['a.yaml this', 'b.yml this']],
    ['_id', { 'a.json': { _id: 'x' } }, ['_router x x'], ['a.json this']],
    ['_id and name', { 'a.json': { _id: 'x', name: 'n' } }, ['_router x n'], ['a.json this']],
    [
      'order by name, by the code of characters',
      { 'a.json': { name: 'b' }, 'b.json': { name: 'B' }, 'c.json': { name: '10' }, 'd.json': { name: '9' } },
      ['_router c 10', '_router d 9', '_router b B', '_router a b'],
      ['a.json this', 'b.json this', 'c.json this', 'd.json this'],
    ],
    ['default.json', { 'default.json': { _id: 'x' } }, [], ['default.json nothing route-name:']],
    ['default.yaml', { 'default.yaml': '{}' }, [], ['default.yaml nothing route-name:']],
    ['the id default', { 'a.json': { _id: 'default' } }, [], ['a.json nothing route-name:_id']],
    ['the name default', { 'a.json': { name: 'default' } }, [], ['a.json nothing route-name:name']],
    ['an id that is no text', { 'a.json': { _id: 7 } }, [], ['a.json nothing route-name:_id']],
    ['an empty name', { 'a.json': { name: '' } }, [], ['a.json nothing route-name:name']],
    [
      'two ids: the first file wins',
      { 'b.json': { _id: 'x', name: 'a' }, 'a.json': { _id: 'x', name: 'b' } },
      ['_router x b'],
      ['a.json this', 'b.json nothing route-name:_id'],
    ],
    [
      'two names: the first file wins',
      { 'a.json': { name: 'x' }, 'b.json': { name: 'x' } },
      ['_router a x'],
      ['a.json this', 'b.json nothing route-name:name'],
    ],
    [
      'a token in the id',
      { 'a.json': { _id: '&{who}', properties: { who: 'me' } } },
      ['_router me me'],
      ['a.json this'],
    ],
  ])('come from %s', (_, files, routes, verdicts) => {
    const inRoutes = Object.fromEntries(Object.entries(files).map(([name, value]) => [`routes/${name}`, value]));
    const compilation = new Instance({ 'config.json': config, ...inRoutes }).compile();
    expect(routesOf(compilation)).toEqual(routes);
    expect(verdictsOf(compilation).slice(1)).toEqual(verdicts.map((verdict) => `routes/${verdict}`));
  });
});

describe('the content of a document', () => {
  it('has tokens, transformations and properties replaced by their values', () => {
    const route = {
      properties: { own: '&{outer}-own', count: { $int: '5' }, copy: '${count}' },
      value: '&{own} &{HOME_OF|none} &{from.env}',
      number: { $int: '&{count}' },
    };
    const base = { ...config, properties: { outer: 'o' } };
    const instance = new Instance({ 'config.json': base, 'routes/a.json': route }, { FROM_ENV: 'e' });
    expect(instance.compile().snapshot?.routes[0]?.document).toEqual({
      properties: { own: 'o-own', count: 5, copy: 5 },
      value: 'o-own none e',
      number: 5,
    });
  });

  it('is validated again when an outer property changes', () => {
    const instance = new Instance({
      'config.json': { ...config, properties: { x: '1' } },
      'routes/a.json': { v: '&{x}' },
    });
    const first = instance.compile();
    const second = instance.write({ 'config.json': { ...config, properties: { x: '2' } } }).compile();
    expect(second.snapshot?.routes[0]).toMatchObject({ document: { v: '2' } });
    expect(second.snapshot?.routes[0]?.hash).not.toBe(first.snapshot?.routes[0]?.hash);
  });

  it.each<[string, unknown, string]>([
    ['a text that is no JSON', '{', 'nothing text:'],
    ['a key twice', '{"a":1,"a":2}', 'refuses duplicate-key:a'],
    ['an array', [], 'nothing value:'],
    ['a token without a value', { a: '&{no.such}' }, 'refuses token:a'],
    ['a token without a value in the condition', { condition: '&{no.such}' }, 'nothing token:condition'],
    ['a transformation that fails', { a: { $int: 'x' } }, 'refuses transformation:a'],
    ['a property that fails', { properties: { a: '${no}' } }, 'refuses expression:properties.a'],
    ['an unsound document', { unsound: true, condition: '${true}' }, 'refuses value:unsound'],
    ['an unsound condition', { vague: true }, 'nothing value:vague'],
  ])('%s rejects its requests or takes none', (_, document, verdict) => {
    const compilation = new Instance({
      'config.json': config,
      'routes/a.json': document,
      'routes/b.json': {},
    }).compile();
    expect(verdictsOf(compilation).slice(1)).toEqual([`routes/a.json ${verdict}`, 'routes/b.json this']);
    const refused = verdict.startsWith('refuses') ? ['_router a a refuses'] : [];
    expect(routesOf(compilation)).toEqual([...refused, '_router b b']);
  });

  it('is reduced to its condition where it refuses', () => {
    const document = { unsound: true, condition: '${x}', properties: { x: true }, secret: 's' };
    const compilation = new Instance({ 'config.json': config, 'routes/a.json': document }).compile();
    expect(compilation.snapshot?.routes[0]?.document).toEqual({ condition: '${x}', properties: { x: true } });
  });
});

describe('the last good version', () => {
  it('serves while a file is invalid, and is replaced by the next valid one', () => {
    const instance = new Instance({ 'config.json': config, 'routes/a.json': { v: 1 } });
    const good = instance.compile().snapshot;
    const bad = instance.write({ 'routes/a.json': '{' }).compile();
    expect(verdictsOf(bad)[1]).toBe('routes/a.json last-good text:');
    expect(bad.snapshot?.revision).toBe(good?.revision);
    const stillBad = instance.write({ 'routes/a.json': { unsound: true } }).compile();
    expect(verdictsOf(stillBad)[1]).toBe('routes/a.json last-good value:unsound');
    expect(stillBad.snapshot?.revision).toBe(good?.revision);
    const better = instance.write({ 'routes/a.json': { v: 2 } }).compile();
    expect(verdictsOf(better)[1]).toBe('routes/a.json this');
    expect(better.snapshot?.routes[0]?.document).toEqual({ v: 2 });
  });

  it('keeps its own id and name', () => {
    const instance = new Instance({ 'config.json': config, 'routes/a.json': { _id: 'x', name: 'y' } });
    instance.compile();
    const bad = instance.write({ 'routes/a.json': { _id: 'other', unsound: true } }).compile();
    expect(routesOf(bad)).toEqual(['_router x y']);
    expect(bad.verdicts[1]?.route).toMatchObject({ id: 'x', name: 'y' });
  });

  it('does not outlive its file', () => {
    const instance = new Instance({ 'config.json': config, 'routes/a.json': {} });
    instance.compile();
    expect(routesOf(instance.write({ 'routes/a.json': undefined }).compile())).toEqual([]);
    expect(verdictsOf(instance.write({ 'routes/a.json': '{' }).compile())[1]).toBe('routes/a.json nothing text:');
  });

  it('rejects requests when its environment changed and it is no longer valid', () => {
    const around = { ...config, properties: { x: 1 } };
    const instance = new Instance({ 'config.json': around, 'routes/a.json': { needs: 'x', condition: '${c}' } });
    instance.compile();
    instance.write({ 'routes/a.json': '{' }).compile();
    const compilation = instance.write({ 'config.json': config }).compile();
    expect(routesOf(compilation)).toEqual(['_router a a refuses']);
    expect(compilation.snapshot?.routes[0]?.document).toEqual({ condition: '${c}' });
    const back = instance.write({ 'config.json': around }).compile();
    expect(routesOf(back)).toEqual(['_router a a']);
  });

  it('of config.json keeps serving with its routes, also when the file is removed', () => {
    const instance = new Instance({ 'config.json': config, 'routes/a.json': {} });
    const good = instance.compile().snapshot;
    for (const [text, problem] of [
      ['{', 'text:'],
      [{ unsound: true }, 'value:unsound'],
      [undefined, 'missing:'],
    ] as const) {
      const bad = instance.write({ 'config.json': text }).compile();
      expect(verdictsOf(bad)[0]).toBe(`config.json last-good ${problem}`);
      expect(bad.snapshot?.revision).toBe(good?.revision);
    }
    expect(routesOf(instance.write({ 'routes/b.json': {} }).compile())).toEqual(['_router a a', '_router b b']);
  });

  it('of config.json does not exist at the start: there is nothing to run', () => {
    const compilation = new Instance({ 'config.json': { unsound: true }, 'routes/a.json': {} }).compile();
    expect(compilation.snapshot).toBeNull();
    expect(verdictsOf(compilation)).toEqual(['config.json nothing value:unsound']);
  });
});

describe('routers', () => {
  const inner = (directory: string): object => ({ routers: [{ name: 'r', directory, scanInterval: 2000 }] });

  it('read the directory that they name, at any depth', () => {
    const compilation = new Instance({
      'config.json': config,
      'routes/a.json': inner('one'),
      'routes/b.json': {},
      'one/c.json': inner('/c/two'),
      'two/d.json': {},
    }).compile();
    expect(routesOf(compilation)).toEqual(['_router a a', '_router b b', '_router.a.r c c', '_router.a.r.c.r d d']);
    expect([...compilation.directories]).toEqual([
      ['/c/routes', 10_000],
      ['/c/one', 2000],
      ['/c/two', 2000],
    ]);
  });

  it('see the properties of the routes around them', () => {
    const compilation = new Instance({
      'config.json': { ...config, properties: { x: 'base', y: 'base' } },
      'routes/a.json': { ...inner('one'), properties: { x: 'a' } },
      'one/c.json': { v: '&{x} &{y}' },
    }).compile();
    expect(compilation.snapshot?.routes[1]?.document).toEqual({ v: 'a base' });
  });

  it('inside their own directory are refused, and others are not affected', () => {
    const compilation = new Instance({
      'config.json': config,
      'routes/a.json': inner('routes'),
      'routes/b.json': inner('one'),
      'one/c.json': inner('./routes/'),
    }).compile();
    expect(verdictsOf(compilation)).toEqual([
      'config.json this',
      'routes/a.json refuses cycle:routers.0',
      'routes/b.json this',
      'one/c.json refuses cycle:routers.0',
    ]);
  });

  it('of one name are refused', () => {
    const twice = { routers: [{ name: 'r' }, { name: 'r', directory: 'one' }] };
    expect(verdictsOf(new Instance({ 'config.json': twice }).compile())).toEqual([
      'config.json nothing duplicate-name:routers.1',
    ]);
  });

  it('may share a directory, which is scanned at the shorter interval', () => {
    const routers = [
      { name: 'r', scanInterval: 0 },
      { name: 's', scanInterval: 3000, defaultHandler: true },
      { name: 't', scanInterval: 5000 },
    ];
    const compilation = new Instance({ 'config.json': { routers }, 'routes/a.json': {} }).compile();
    expect(routesOf(compilation)).toEqual(['r a a', 's a a', 't a a']);
    expect(compilation.directories.get('/c/routes')).toBe(3000);
    expect(compilation.snapshot?.defaults).toEqual(['gateway.s']);
  });
});

describe('work', () => {
  it('has the same bytes for the same files, independent of history', () => {
    const files = { 'config.json': config, 'routes/b.json': { v: 1 }, 'routes/a.json': { v: { $int: '2' } } };
    const travelled = new Instance({ ...files, 'routes/a.json': {}, 'routes/c.json': {} });
    travelled.compile();
    travelled.write({ ...files, 'routes/c.json': undefined });
    expect(JSON.stringify(travelled.compile().snapshot)).toBe(JSON.stringify(new Instance(files).compile().snapshot));
  });

  it('is one judgement for one change among five thousand routes', () => {
    const many = Array.from({ length: 5000 }, (_, i) => [`routes/${i}.json`, { v: i }]);
    const instance = new Instance({ 'config.json': config, ...Object.fromEntries(many) });
    const first = instance.compile();
    expect(first.snapshot?.routes).toHaveLength(5000);
    instance.checker.judged.length = 0;
    expect(instance.compile().snapshot?.revision).toBe(first.snapshot?.revision);
    expect(instance.checker.judged).toEqual([]);
    const second = instance.write({ 'routes/77.json': { v: 'new' } }).compile();
    expect(instance.checker.judged).toEqual(['77']);
    expect(second.snapshot?.revision).not.toBe(first.snapshot?.revision);
    const third = instance.write({ 'routes/78.json': '{' }).compile();
    instance.compile();
    expect(instance.checker.judged).toEqual(['77']);
    expect(third.snapshot?.revision).toBe(second.snapshot?.revision);
  });

  it('is complete again on request', () => {
    const instance = new Instance({ 'config.json': config, 'routes/a.json': {} });
    instance.compile();
    instance.epoch++;
    instance.compile();
    expect(instance.checker.judged).toEqual(['config.json', 'a', 'config.json', 'a']);
  });
});

describe('a directory that cannot be read', () => {
  it('keeps config.json from being served at the start', () => {
    const instance = new Instance({ 'config.json': config });
    instance.faults.set('/c/routes', 'EACCES');
    const { snapshot, verdicts, directories } = instance.compile();
    expect(snapshot).toBeNull();
    expect(verdicts).toMatchObject([
      { role: 'config', serves: 'nothing', problems: [{ message: "the directory 'routes' cannot be read: EACCES" }] },
    ]);
    expect([...directories.keys()]).toEqual(['/c/routes']);
    instance.faults.clear();
    expect(verdictsOf(instance.compile())).toEqual(['config.json this']);
  });

  it('keeps a route of a nested router from being served', () => {
    const routers = [{ name: 'inner', directory: 'inner' }];
    const instance = new Instance({ 'config.json': config, 'routes/a.json': { routers } });
    instance.faults.set('/c/inner', 'EACCES');
    expect(verdictsOf(instance.compile())).toEqual([
      'config.json this',
      'routes/a.json refuses missing:routers.0.config.directory',
    ]);
  });

  it('keeps its routes, and reports it once', () => {
    const routers = [{ name: 'one' }, { name: 'two' }];
    const instance = new Instance({ 'config.json': { routers }, 'routes/a.json': {} });
    const before = routesOf(instance.compile());
    instance.faults.set('/c/routes', 'ENOENT');
    const compilation = instance.compile();
    expect(routesOf(compilation)).toEqual(before);
    expect(verdictsOf(compilation)).toEqual([
      'config.json this',
      'routes last-good missing:',
      'routes/a.json this',
      'routes/a.json this',
    ]);
  });
});

describe('files that are not read', () => {
  it.each([
    [true, 'warning', 'no-effect'],
    [false, 'error', 'missing'],
  ])('are reported with the right name: %s', (isThere, severity, code) => {
    const instance = new Instance({ 'config.json': config });
    instance.strays = [{ file: { path: '/c/config.yaml', content: Buffer.from('') }, instead: 'config.json', isThere }];
    const stray = instance.compile().verdicts.find(({ role }) => role === 'stray');
    expect(stray).toMatchObject({ serves: 'nothing', problems: [{ severity, code }] });
  });
});

describe('problems are reported all at once', () => {
  it('also those of the routes of an invalid config.json', () => {
    const instance = new Instance({
      'config.json': { ...config, unsound: true },
      'routes/a.json': {},
      'routes/b.json': { unsound: true },
    });
    const { snapshot, ...compilation } = instance.compile();
    expect(snapshot).toBeNull();
    expect(verdictsOf({ snapshot, ...compilation })).toEqual([
      'config.json nothing value:unsound',
      'routes/a.json waits',
      'routes/b.json waits value:unsound',
    ]);
    expect(instance.lastGood).toEqual(nothingGood);
  });

  it('unless its properties cannot be read, because routes would then be blamed for that', () => {
    const properties = { p: { $location: 'none.json' } };
    const instance = new Instance({ 'config.json': { ...config, properties }, 'routes/b.json': { unsound: true } });
    const { verdicts } = instance.compile();
    expect(verdicts).toMatchObject([{ role: 'config', hidesRoutes: true }]);
  });

  it('also that the name of an invalid route is already used', () => {
    const instance = new Instance({
      'config.json': config,
      'routes/a.json': { name: 'n' },
      'routes/b.json': { name: 'n', unsound: true },
    });
    expect(verdictsOf(instance.compile())[2]).toBe('routes/b.json nothing value:unsound route-name:name');
  });
});
