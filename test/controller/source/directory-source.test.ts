import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DirectorySource } from '../../../controller/source/directory-source.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let source: DirectorySource;
let changes = 0;

afterEach(() => {
  source.close();
  folder[Symbol.dispose]();
});

/** Follows `routes` of a folder; 0 milliseconds for only when it is asked. */
function follow(content: Record<string, unknown>, { watch = true, interval = 0 } = {}): void {
  folder = new InstanceFolder(content);
  changes = 0;
  source = new DirectorySource({ config: folder.path, watch, changed: () => changes++ });
  source.follow(new Map([[folder.at('routes'), interval]]));
}

/** The files of `routes` by name, as texts; null when there is no directory. */
function routes(): Record<string, string> | null {
  const files = source.state.directories.get(folder.at('routes'));
  if (files === null || files === undefined) return null;
  return Object.fromEntries(files.map(({ path, content }) => [path.slice(path.lastIndexOf('/') + 1), String(content)]));
}

/** Why `routes` cannot be read. */
function fault(): string | undefined {
  return source.state.faults.get(folder.at('routes'));
}

/** Waits until the files are these. */
async function become(files: Record<string, string> | null): Promise<void> {
  await vi.waitFor(() => expect(routes()).toEqual(files), { timeout: 5000, interval: 5 });
}

describe('a directory that is watched', () => {
  it('shows documents and nothing else', () => {
    follow({
      'config.json': '{}',
      'routes/a.json': '1',
      'routes/b.yaml': '2',
      'routes/c.yml': '3',
      'routes/d.txt': '4',
      'routes/.e.json': '5',
      'routes/f.json~': '6',
      'routes/.g.json.swp': '7',
      'routes/sub/h.json': '8',
      'routes/i.json/j': '9',
    });
    expect(routes()).toEqual({ 'a.json': '1', 'b.yaml': '2', 'c.yml': '3' });
    expect(String(source.state.config?.content)).toBe('{}');
    expect(source.admin).toBeNull();
  });

  it('reports why a file cannot be read, without waiting', () => {
    folder = new InstanceFolder({ 'routes/a.json': '1' });
    truncateSync(folder.at('routes/a.json'), 17 * 1024 * 1024);
    symlinkSync('loop.json', folder.at('routes/loop.json'));
    symlinkSync('/dev/zero', folder.at('routes/zero.json'));
    writeFileSync(
      Buffer.concat([Buffer.from(folder.at('routes/caf')), Buffer.from([0xe9]), Buffer.from('.json')]),
      '1',
    );
    source = new DirectorySource({ config: folder.path, watch: false, changed: () => changes++ });
    source.read([folder.at('routes')]);
    const files = source.state.directories.get(folder.at('routes')) ?? [];
    expect(files.map(({ path, fault }) => [path.slice(path.lastIndexOf('/') + 1), fault])).toEqual([
      ['a.json', 'it is larger than 16777216 bytes'],
      ['caf\ufffd.json', 'its name is not UTF-8'],
      ['loop.json', 'ELOOP'],
    ]);
  });

  it('notices new, changed, replaced and removed files', async () => {
    follow({ 'routes/a.json': '1' });
    folder.write('routes/b.json', '2');
    await become({ 'a.json': '1', 'b.json': '2' });
    folder.write('routes/a.json', '3');
    await become({ 'a.json': '3', 'b.json': '2' });
    folder.replace('routes/a.json', '4');
    await become({ 'a.json': '4', 'b.json': '2' });
    folder.remove('routes/b.json');
    await become({ 'a.json': '4' });
    await vi.waitFor(() => expect(changes).toBeGreaterThan(3));
  });

  it('notices config.json and admin.json', async () => {
    follow({ 'config.json': '1' });
    folder.replace('config.json', '2');
    folder.write('admin.json', '3');
    await vi.waitFor(() => expect(String(source.state.config?.content)).toBe('2'));
    await vi.waitFor(() => expect(String(source.admin?.content)).toBe('3'));
  });

  it('keeps the same object for a file that is the same', async () => {
    follow({ 'routes/a.json': '1', 'routes/b.json': '1' });
    const before = source.state.directories.get(folder.at('routes'));
    folder.replace('routes/a.json', '1');
    folder.write('routes/b.json', '2');
    await become({ 'a.json': '1', 'b.json': '2' });
    const after = source.state.directories.get(folder.at('routes'));
    expect(after?.[0]).toBe(before?.[0]);
    expect(after?.[1]).not.toBe(before?.[1]);
  });

  it('follows files through links that are exchanged, as mounted ConfigMaps are', async () => {
    follow({ 'routes/..one/a.json': '1', 'routes/..one/b.json': '1', 'routes/..two/a.json': '2' });
    symlinkSync('..one', folder.at('routes/..data'));
    symlinkSync('..data/a.json', folder.at('routes/a.json'));
    symlinkSync('..data/b.json', folder.at('routes/b.json'));
    await become({ 'a.json': '1', 'b.json': '1' });
    symlinkSync('..two', folder.at('routes/..data_tmp'));
    renameSync(folder.at('routes/..data_tmp'), folder.at('routes/..data'));
    await become({ 'a.json': '2' });
  });

  it('reports a file that cannot be read', async () => {
    follow({ 'routes/a.json': '1' });
    symlinkSync('b.json', folder.at('routes/b.json'));
    await vi.waitFor(() => expect(source.state.directories.get(folder.at('routes'))).toHaveLength(2));
    const file = source.state.directories.get(folder.at('routes'))?.at(-1);
    expect(file).toMatchObject({ path: folder.at('routes/b.json'), fault: 'ELOOP' });
    folder.remove('routes/b.json');
    await become({ 'a.json': '1' });
  });

  it('waits for a file that is written in pieces', async () => {
    follow({ 'routes/a.json': '{"v":1}' });
    const seen = new Set<string>();
    const look = setInterval(() => seen.add(routes()?.['a.json'] ?? 'none'), 1);
    const file = openSync(folder.at('routes/a.json'), 'w');
    for (const piece of ['{"v"', ':', '2', '}']) {
      writeSync(file, piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    closeSync(file);
    await become({ 'a.json': '{"v":2}' });
    clearInterval(look);
    expect([...seen].filter((text) => text !== '{"v":1}' && text !== '{"v":2}')).toEqual([]);
  });

  it('shows a file that stays incomplete, so that it can be reported', async () => {
    follow({ 'routes/a.json': '{"v":1}' });
    folder.write('routes/a.json', '{"v"');
    await become({ 'a.json': '{"v"' });
    appendFileSync(folder.at('routes/a.json'), ':2}');
    await become({ 'a.json': '{"v":2}' });
  });

  it('survives removal, restoration and replacement of the directory', async () => {
    follow({ 'routes/a.json': '1', 'next/b.json': '2' });
    folder.remove('routes');
    await vi.waitFor(() => expect(fault()).toBe('ENOENT'), { timeout: 5000, interval: 5 });
    expect(routes()).toEqual({ 'a.json': '1' });
    folder.write('routes/c.json', '3');
    await become({ 'c.json': '3' });
    expect(fault()).toBeUndefined();
    renameSync(folder.at('routes'), folder.at('old'));
    renameSync(folder.at('next'), folder.at('routes'));
    await become({ 'b.json': '2' });
    folder.write('routes/d.json', '4');
    await become({ 'b.json': '2', 'd.json': '4' });
  });

  it('keeps its documents while it cannot be read', async () => {
    follow({ 'routes/a.json': '1' });
    renameSync(folder.at('routes'), folder.at('away'));
    symlinkSync('routes', folder.at('routes'));
    await vi.waitFor(() => expect(fault()).toBe('ELOOP'), { timeout: 5000, interval: 5 });
    expect(routes()).toEqual({ 'a.json': '1' });
    folder.remove('routes');
    renameSync(folder.at('away'), folder.at('routes'));
    await vi.waitFor(() => expect(fault()).toBeUndefined(), { timeout: 5000, interval: 5 });
    expect(routes()).toEqual({ 'a.json': '1' });
  });

  it('is distinguished from a missing one when it cannot be read at first', async () => {
    follow({ routes: 'a file' });
    expect(routes()).toBeNull();
    expect(fault()).toBe('ENOTDIR');
    folder.remove('routes');
    folder.write('routes/a.json', '1');
    await become({ 'a.json': '1' });
    expect(fault()).toBeUndefined();
  });

  it('shows every settled state, with few scans for many changes', async () => {
    follow({ 'routes/a.json': '0' });
    for (let i = 1; i <= 300; i++) {
      folder.replace('routes/a.json', String(i));
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await become({ 'a.json': '300' });
    expect(changes).toBeLessThan(100);
  });

  it('may be created later', async () => {
    follow({ 'config.json': '{}' });
    expect(routes()).toBeNull();
    mkdirSync(folder.at('routes'));
    folder.write('routes/a.json', '1');
    await become({ 'a.json': '1' });
  });
});

describe('the configuration directory', () => {
  it('that cannot be read has a config.json and an admin.json that cannot be read', () => {
    folder = new InstanceFolder({});
    symlinkSync('config', folder.at('config'));
    source = new DirectorySource({ config: folder.at('config'), watch: false, changed: () => changes++ });
    expect(source.state.config).toMatchObject({ path: folder.at('config/config.json'), fault: 'ELOOP' });
    expect(source.admin).toMatchObject({ path: folder.at('config/admin.json'), fault: 'ELOOP' });
  });

  it('that was removed has no config.json', async () => {
    folder = new InstanceFolder({ 'config/config.json': '{}', 'config/admin.json': '{}' });
    source = new DirectorySource({ config: folder.at('config'), watch: true, changed: () => changes++ });
    source.follow(new Map());
    folder.remove('config');
    await vi.waitFor(() => expect(source.state.config).toBeNull(), { timeout: 5000, interval: 5 });
  });

  it.each<[string, string, boolean]>([
    ['config.yaml', 'config.json', true],
    ['config.yml', 'config.json', true],
    ['Config.json', 'config.json', true],
    ['admin.yaml', 'admin.json', false],
  ])('shows that %s is not read', (name, instead, isThere) => {
    folder = new InstanceFolder({ 'config.json': '{}', [name]: '{}', 'other.yaml': '{}' });
    source = new DirectorySource({ config: folder.path, watch: false, changed: () => changes++ });
    expect(source.state.strays).toMatchObject([{ file: { path: folder.at(name) }, instead, isThere }]);
  });
});

describe('a directory that is scanned at intervals', () => {
  it('is scanned every interval', async () => {
    follow({ 'routes/a.json': '1' }, { watch: false, interval: 20 });
    folder.write('routes/a.json', '2');
    await become({ 'a.json': '2' });
  });

  it('is not scanned without an interval, except on request', async () => {
    follow({ 'config.json': '1', 'routes/a.json': '1' }, { watch: false });
    const { epoch } = source.state;
    folder.replace('routes/a.json', '2');
    folder.replace('config.json', '2');
    expect(routes()).toEqual({ 'a.json': '1' });
    source.scan();
    expect(routes()).toEqual({ 'a.json': '2' });
    expect(String(source.state.config?.content)).toBe('2');
    expect(changes).toBe(0); // whoever compiles has a turn of its own
    await new Promise((resolve) => setImmediate(resolve));
    expect(changes).toBe(1);
    expect(source.state.epoch).toBe(epoch + 1);
  });

  it('is released after its last listener unsubscribes', () => {
    follow({ 'routes/a.json': '1' }, { watch: false });
    source.follow(new Map());
    expect(source.state.directories.size).toBe(0);
  });
});
