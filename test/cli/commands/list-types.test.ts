import { describe, expect, it } from 'vitest';
import { documentSchema } from '../../../cli/output/document-schema.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { gatewarden, runProgram } from '../../support/programs/run-program.ts';

describe('gatewarden types', () => {
  it('lists every type by kind', async () => {
    const { code, stdout, stderr } = await runProgram(gatewarden, ['types']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const listed = [...stdout.matchAll(/^ {2}(\w+) /gm)].map((match) => match[1]);
    expect(listed.sort()).toEqual(catalogue.definitions.map(({ type }) => type).sort());
    expect([...stdout.matchAll(/^(\S.*):$/gm)].map((match) => match[1])).toEqual([
      'Handlers',
      'Filters',
      'Decorators',
      'Other objects',
    ]);
  });

  it('prints JSON Schemas', async () => {
    const { stdout } = await runProgram(gatewarden, ['types', '--json']);
    const types = new Map((JSON.parse(stdout) as { type: string }[]).map((one) => [one.type, one]));
    expect(types.size).toBe(catalogue.definitions.length);
    expect(types.get('Chain')).toMatchObject({
      kind: 'Handler',
      aliases: [],
      config: { type: 'object', required: ['handler'], properties: { filters: { type: 'array' } } },
    });
    expect(types.get('TimerDecorator')).toMatchObject({
      kind: 'Decorator',
      decoration: { anyOf: [{ type: 'boolean' }, {}] },
    });
  });

  it('prints the JSON Schema of a document', async () => {
    const { code, stdout } = await runProgram(gatewarden, ['types', '--schema', 'admin']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(documentSchema('admin'))));
  });

  it('names the documents that have a JSON Schema', async () => {
    const { code, stderr } = await runProgram(gatewarden, ['types', '--schema', 'trust']);
    expect(code).not.toBe(0);
    expect(stderr).toContain("option '--schema' must be one of route, config, admin");
  });

  it('may be cut off by its reader', async () => {
    const outcome = await runProgram('/bin/sh', ['-c', `'${gatewarden}' types --json | head -n 1`]);
    expect(outcome).toEqual({ code: 0, stdout: '[\n', stderr: '' });
  });
});
