import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { webhookInjector } from '../../../controller/injection/webhook-injector.ts';
import { plainPod } from '../../support/cluster/injected-pod.ts';
import { watchedDirectory } from '../../support/state/temporary-files.ts';

const settings = { image: 'gatewarden:1', controllers: ['gatewarden-controller.gatewarden.svc:9443'] };

function scene() {
  const file = join(watchedDirectory().path, 'sidecar.json');
  const failures: string[] = [];
  const state = { authorities: 'PEM' };
  const write = (text: string): void => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  };
  write(JSON.stringify(settings));
  const injector = webhookInjector({
    file,
    namespace: 'gateway',
    authorities: () => state.authorities,
    failed: ({ message }) => failures.push(message),
  });
  const image = (): string => /"image":"([^"]*)"/.exec(JSON.stringify(injector.inject(plainPod(), 'shop')))?.[1] ?? '';
  return { file, failures, state, write, injector, image };
}

describe('webhookInjector', () => {
  it('follows its file', () => {
    const { image, write, failures } = scene();
    expect(image()).toBe('gatewarden:1');
    write(JSON.stringify({ ...settings, image: 'gatewarden:2' }));
    expect(image()).toBe('gatewarden:2');
    expect(failures).toEqual([]);
  });

  it('keeps the last valid content of its file', () => {
    const { image, write, failures, file } = scene();
    write('{"image": 7}');
    expect([image(), image()]).toEqual(['gatewarden:1', 'gatewarden:1']);
    expect(failures).toEqual([expect.stringContaining('image: must be a string')]);
    rmSync(file);
    expect(image()).toBe('gatewarden:1');
    write(JSON.stringify({ ...settings, image: 'gatewarden:2' }));
    expect(image()).toBe('gatewarden:2');
  });

  it('injects the current CA certificates, and rejects while they are not known', () => {
    const { injector, state } = scene();
    state.authorities = '';
    expect(() => injector.inject(plainPod(), 'shop')).toThrow('is not known yet');
    state.authorities = 'another';
    expect(JSON.stringify(injector.inject(plainPod(), 'shop'))).toContain('"value":"another"');
  });

  it('does not change the Pods of the controllers', () => {
    expect(scene().injector.inject(plainPod(), 'gateway')).toMatchObject({ outcome: 'left-alone' });
  });

  it('needs a file that can be used at the start', () => {
    const file = join(watchedDirectory().path, 'none.json');
    const options = { file, namespace: 'a', authorities: () => '', failed() {} };
    expect(() => webhookInjector(options)).toThrow('ENOENT');
  });
});
