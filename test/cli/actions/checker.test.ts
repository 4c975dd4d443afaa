import { describe, expect, it } from 'vitest';
import { dataPlaneChecker } from '../../../cli/actions/checker.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { defaultConfiguration } from '../../../controller/compile/default-configuration.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const checker = dataPlaneChecker(operatorReach({ WHO: 'me' }, {}, '/instance'));

function lines(problems: readonly { code: string; severity: string; path: readonly (string | number)[] }[]): string[] {
  return problems.map(({ code, severity, path }) => `${severity} ${code} ${path.join('.')}`);
}

describe('admin.json', () => {
  it('is validated with the catalogue of the data plane', () => {
    expect(checker.admin({})).toMatchObject({ settings: { prefix: 'openig', mode: 'PRODUCTION' }, problems: [] });
    const { settings, problems } = checker.admin({ heap: [{ name: 'x', type: 'NoSuch' }] });
    expect([settings, lines(problems)]).toEqual([null, ['error unknown-type heap.0.type']]);
  });
});

describe('config.json and routes', () => {
  it('are validated with the catalogue of the data plane', () => {
    const judgement = checker.base(defaultConfiguration);
    expect(judgement.problems).toEqual([]);
    expect(judgement.routers).toMatchObject([
      { name: 'gateway._router', directory: null, scanInterval: 10_000, hasDefaultHandler: true },
    ]);
  });

  it('show the routers that they declare, wherever those are', () => {
    const router = (name: string | null): JsonObject => ({
      ...(name === null ? {} : { name }),
      type: 'Router',
      config: { directory: `\${env['WHO']}/${name}`, scanInterval: 'disabled' },
    });
    const { routers } = checker.base({
      heap: [router('a'), { name: 'b', type: 'Chain', config: { filters: [], handler: router('c') } }],
      handler: { type: 'Chain', config: { filters: [], handler: router(null) } },
    });
    expect(routers.map(({ name, directory, scanInterval }) => [name, directory, scanInterval])).toEqual([
      ['gateway.a', 'me/a', 0],
      ['gateway.c', 'me/c', 0],
      ['gateway.{Router}/handler/config/handler', 'me/null', 0],
    ]);
  });

  it('see the objects and properties around them', () => {
    const base = {
      properties: { status: 418 },
      heap: [
        { name: '_router', type: 'Router' },
        { name: 'teapot', type: 'StaticResponseHandler', config: { status: '${status}' } },
      ],
    };
    const [router] = checker.base(base).routers;
    expect(router?.route({ handler: 'teapot' }, 'a')).toMatchObject({ sound: true, problems: [] });
    expect(router?.route({ handler: 'teapt' }, 'b')).toMatchObject({
      sound: false,
      conditionIsReadable: true,
      problems: [{ code: 'reference', hint: "did you mean 'teapot'?" }],
    });
    expect(router?.route({ handler: 'teapot', condition: '${' }, 'c')).toMatchObject({ conditionIsReadable: false });
  });

  it('may compute their properties', () => {
    const constants = new Map([['list', ['a', 'b']]]);
    expect(checker.evaluate('${list[1]}', constants)).toBe('b');
    expect(checker.evaluate('${env["WHO"]}', constants)).toBe('me');
    expect(checker.evaluate('${list}', constants)).toEqual(['a', 'b']);
    expect(() => checker.evaluate('${request.method}', constants)).toThrow(/before any request/);
    expect(() => checker.evaluate('${later}', constants)).toThrow("'later' is not known here");
  });
});
