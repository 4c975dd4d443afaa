import { afterEach, describe, expect, it } from 'vitest';
import { type Instance, openInstance } from '../../cli/open-instance.ts';
import { startSummary } from '../../cli/start-summary.ts';
import { nothingGood } from '../../controller/compile/compiler.ts';
import { compileSource } from '../../controller/live-instance.ts';
import { instanceLayout } from '../../controller/source/instance-layout.ts';
import { InstanceFolder } from '../support/instance-folder.ts';

let folder: InstanceFolder;
let instance: Instance;

afterEach(() => {
  instance.source.close();
  folder[Symbol.dispose]();
});

function summary(content: Record<string, unknown>, host: string): string[] {
  folder = new InstanceFolder(content);
  instance = openInstance(instanceLayout(folder.path), { system: {} });
  const compilation = compileSource(instance.compiler, instance.source, nothingGood);
  const plane = { address: { host, port: 80 }, adminAddress: { host, port: 90 }, problems: [] };
  return startSummary(instance, compilation, plane, { prefix: 'openig', watch: false });
}

describe('the summary at the start', () => {
  it.each([
    ['::', 'http://localhost:80 (on every interface)', 'http://localhost:90/health/live'],
    ['0.0.0.0', 'http://localhost:80 (on every interface)', 'http://localhost:90/health/live'],
    ['::1', 'http://[::1]:80', 'http://[::1]:90/health/live'],
    ['127.0.0.1', 'http://127.0.0.1:80', 'http://127.0.0.1:90/health/live'],
  ])('shows where to go for %s', (host, traffic, health) => {
    const lines = summary({}, host);
    expect(lines).toContain(`traffic     ${traffic}`);
    expect(lines.find((line) => line.startsWith('health'))).toContain(`health      ${health} and`);
    expect(lines.filter((line) => line.startsWith('problems'))).toEqual([]);
  });
});
