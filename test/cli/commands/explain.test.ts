import { describe, expect, it } from 'vitest';
import { explained } from '../../../cli/output/explained.ts';
import { fieldTable } from '../../../contract/vocabulary/field-table.ts';
import { BASE_KEYS, ROUTE_KEYS } from '../../../dataplane/routes/check-document.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

describe('gatewarden explain', () => {
  it('prints the summary, the fields and examples of a type', async () => {
    const { code, stdout, stderr } = await runProgram(gatewarden, ['explain', 'HeaderFilter']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^HeaderFilter: Filter\.\n\n/);
    expect(stdout).toContain('\n  messageType: configuration expression<enumeration>, required\n');
    expect(stdout).toContain('One of `REQUEST`, `RESPONSE`.\n');
    expect(stdout).toContain('\nExamples:\n');
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  it('explains aliases and the keys of decorators', async () => {
    expect((await runProgram(gatewarden, ['explain', 'RouterHandler'])).stdout).toMatch(
      /^Router: Handler\. Also known as/,
    );
    const { stdout } = await runProgram(gatewarden, ['explain', 'CaptureDecorator']);
    expect(stdout).toContain('\nBeside the decorated object:\n  configuration expression<enumeration> or array of');
  });

  it.each([
    ['capture', "CaptureDecorator: Decorator. 'capture' exists without being declared."],
    ['baseURI', "BaseUriDecorator: Decorator. 'baseURI' exists without being declared."],
    ['timer', "TimerDecorator: Decorator. 'timer' exists without being declared."],
    ['ForgeRockClientHandler', "Chain: Handler. 'ForgeRockClientHandler' exists without being declared."],
    ['Route', 'Route: A file in the directory of a router, such as config/routes/10-shop.json.'],
    ['config.json', 'config.json: The file config/config.json of an instance.'],
    ['admin.json', 'admin.json: The file config/admin.json of an instance.'],
  ])('explains %s', async (asked, line) => {
    const { code, stdout } = await runProgram(gatewarden, ['explain', asked]);
    expect([code, stdout.split('\n')[0]]).toEqual([0, line]);
  });

  it.each([
    ['Route', ROUTE_KEYS],
    ['config.json', BASE_KEYS],
  ])('explains every field of %s that the check accepts', (name, keys) => {
    const fields = fieldTable(explained(name).config).map((field) => field.name);
    expect(fields.toSorted()).toEqual([...keys].toSorted());
  });

  it.each([
    ['admin.json.connectors.port', ['connectors[].port']],
    ['Route.condition', ['condition']],
    ['CaptureDecorator.masks', ['masks', 'masks.headers', 'masks.trackers', 'masks.attributes', 'masks.mask']],
    ['CaptureDecorator.masks.mask', ['masks.mask']],
    ['DispatchHandler.bindings.condition', ['bindings[].condition']],
    ['DispatchHandler.bindings[].condition', ['bindings[].condition']],
  ])('explains the field %s', async (asked, fields) => {
    const { stdout } = await runProgram(gatewarden, ['explain', asked]);
    expect([...stdout.matchAll(/^ {2}(\S+): /gm)].map((match) => match[1])).toEqual(fields);
  });

  it.each([
    [['explain', 'HeadrFilter'], 1, "there is no type 'HeadrFilter': did you mean 'HeaderFilter'?"],
    [['explain', 'Nonsense'], 1, "there is no type 'Nonsense': 'gatewarden types' lists them all"],
    [
      ['explain', 'KeyManager'],
      1,
      "the type 'KeyManager' is known, but not available in this version: a SecretsKeyManager with a FileSystemSecretStore takes keys and certificates from PEM files",
    ],
    [
      ['explain', 'SqlAttributesFilter'],
      1,
      "the type 'SqlAttributesFilter' is known, but not available in this version",
    ],
    [['explain', 'HeaderFilter.ad'], 1, "HeaderFilter has no field 'ad': did you mean 'add'?"],
    [['explain', 'HeaderFilter.zzz'], 1, "HeaderFilter has no field 'zzz': it has messageType, remove, add, encoding"],
    [['explain', 'TracingDecorator.x'], 1, "TracingDecorator has no field 'x': it has none"],
    [['explain'], 2, 'argument TYPE[.FIELD] is required'],
  ])('%j is refused', async (words, code, message) => {
    const outcome = await runProgram(gatewarden, words);
    expect(outcome).toMatchObject({ code, stdout: '' });
    expect(outcome.stderr.split('\n')[0]).toBe(`gatewarden explain: ${message}`);
  });
});
