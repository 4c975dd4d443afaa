import { afterEach, describe, expect, it } from 'vitest';
import { type Instance, openInstance } from '../../../cli/actions/open-instance.ts';
import { startSummary } from '../../../cli/output/start-summary.ts';
import { nothingGood } from '../../../controller/compile/last-good.ts';
import { compileSource } from '../../../controller/live-instance.ts';
import { instanceLayout } from '../../../controller/source/instance-layout.ts';
import { InstanceFolder } from '../../support/gateways/instance-folder.ts';

let folder: InstanceFolder;
let instance: Instance;

afterEach(() => {
  instance.source.close();
  folder[Symbol.dispose]();
});

function summary(
  content: Record<string, unknown>,
  host: string,
  problems: Parameters<typeof startSummary>[2]['problems'] = [],
): string[] {
  folder = new InstanceFolder(content);
  instance = openInstance(instanceLayout(folder.path), { system: {} });
  const compilation = compileSource(instance.compiler, instance.source, nothingGood);
  const addresses = [
    { scheme: 'http', host, port: 80 },
    { scheme: 'https', host, port: 443 },
  ] as const;
  const plane = { addresses, adminAddress: { host, port: 90 }, problems };
  return startSummary(instance, compilation, plane, { prefix: 'openig', watch: false });
}

describe('the summary at the start', () => {
  it.each([
    ['::', 'localhost', ' (on every interface)'],
    ['0.0.0.0', 'localhost', ' (on every interface)'],
    ['::1', '[::1]', ''],
    ['127.0.0.1', '127.0.0.1', ''],
  ])('shows where to go for %s', (host, shown, more) => {
    const lines = summary({}, host);
    const health = `http://${shown}:90/health/live`;
    expect(lines.filter((line) => line.startsWith('traffic'))).toEqual([
      `traffic     http://${shown}:80${more}`,
      `traffic     https://${shown}:443${more}`,
    ]);
    expect(lines.find((line) => line.startsWith('health'))).toContain(`health      ${health} and`);
    expect(lines.filter((line) => line.startsWith('problems'))).toEqual([]);
  });

  it('marks a valid route that could not be built', () => {
    const handler = { type: 'StaticResponseHandler', config: { status: 200 } };
    const content = { 'config/routes/a.json': { handler }, 'config/routes/b.json': { handler } };
    const problem = { code: 'build', severity: 'error', path: ['handler'], message: 'no keystore' } as const;
    const unbuilt = { route: { router: 'gateway._router', id: 'b' }, problems: [problem], keepsServing: false };
    const lines = summary(content, '127.0.0.1', [unbuilt]);
    expect(lines.filter((line) => line.startsWith('  '))).toEqual([
      '  a  every request',
      '  b  every request  [refuses]',
    ]);
    expect(lines).toContain('problems    1 ERROR, see above');
  });
});
