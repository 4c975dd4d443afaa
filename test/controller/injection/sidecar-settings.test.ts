import { describe, expect, it } from 'vitest';
import { logLevel, readSidecarSettings } from '../../../controller/injection/sidecar-settings.ts';
import { logLevels } from '../../../dataplane/log/log-level.ts';

const least = { image: 'gatewarden:1.0.0', controllers: ['gatewarden-controller.gatewarden.svc:9443'] };

const read = (fields: object): ReturnType<typeof readSidecarSettings> =>
  readSidecarSettings(JSON.stringify({ ...least, ...fields }), 'sidecar.json');

describe('sidecar.json', () => {
  it('needs an image and the controllers', () => {
    expect(read({})).toEqual({
      ...least,
      pullPolicy: 'IfNotPresent',
      pullSecrets: [],
      port: 15_080,
      adminPort: 15_090,
      units: 1,
      resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
      logLevel: 'info',
      accessLog: true,
      drainSeconds: 20,
      temporaryStorage: '64Mi',
      runAsUser: 65_532,
      runAsGroup: 65_532,
      extraArgs: [],
      excludedNamespaces: [],
    });
    expect(() => readSidecarSettings('{}', 'sidecar.json')).toThrow(/image: is required.*controllers: is required/s);
  });

  it('accepts the log levels of data planes', () => {
    expect(logLevel.options).toEqual([...logLevels]);
  });

  it.each<[string, object, string]>([
    ['an unknown field', { prot: 1 }, "prot: there is no field 'prot' here"],
    ['a port that needs rights', { port: 80 }, 'port: must be at least 1024'],
    ['no port', { adminPort: 70_000 }, 'adminPort: must be at most 65535'],
    ['one port for both', { port: 15_090 }, 'port and adminPort must differ'],
    ['no controller', { controllers: [] }, 'controllers: must'],
    ['a controller without a port', { controllers: ['a'] }, 'controllers[0]: must be HOST:PORT'],
    ['an amount of nothing', { temporaryStorage: 'much' }, 'temporaryStorage: must be an amount'],
    ['another resource', { resources: { requests: { disk: '1' } } }, "there is no field 'disk' here"],
    ['root', { runAsUser: 0 }, 'runAsUser: must be at least 1'],
    ['another level', { logLevel: 'trace' }, 'logLevel: must be one of'],
    ['an option that it has', { extraArgs: ['--limits=x', '--port=1'] }, 'extraArgs: every sidecar has --port already'],
    ['an option in two words', { extraArgs: ['--controller', 'a:1'] }, 'every sidecar has --controller already'],
  ])('refuses %s', (_, fields, message) => {
    expect(() => read(fields)).toThrow(message);
  });

  it('reports the position of invalid JSON', () => {
    expect(() => readSidecarSettings('{"image": }', 'sidecar.json')).toThrow(/sidecar\.json:1:\d+/);
  });

  it('leaves the user to the cluster for null', () => {
    expect(read({ runAsUser: null, runAsGroup: null })).toMatchObject({ runAsUser: null, runAsGroup: null });
  });
});
