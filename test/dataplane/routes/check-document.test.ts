import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { type Problem, pathText } from '../../../contract/problem.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { checkBase } from '../../../dataplane/routes/check-document.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { checkConfigured } from '../../support/gateways/configured-gateway.ts';
import { operatorReach } from '../../support/gateways/operator-reach.ts';

const handler = { type: 'StaticResponseHandler', config: { status: 200 } };

function problemsOfBase(document: JsonObject): readonly Problem[] {
  const check = { catalogue, reading: documentReading(operatorReach(), [document], () => {}), report: () => {} };
  return checkBase(document, checkDefaultObjects(check), check).problems;
}

const told = (problems: readonly Problem[]): string[] =>
  problems.map(({ severity, path, message }) => `${severity} ${pathText(path)}: ${message}`);

describe('keys that OpenIG knows', () => {
  it.each<[JsonObject, string[]]>([
    [{ handlerObject: 'Main' }, ["warning handlerObject: has no effect: the main handler is what 'handler' says"]],
    [
      { temporaryStorage: 'TemporaryStorage' },
      [
        'warning temporaryStorage: has no effect: objects that keep content use the TemporaryStorage of the heap, ' +
          'or the one that they name',
      ],
    ],
    [{ monitor: true }, ['warning monitor: has no effect: every route is monitored']],
    [{ name: 'main' }, ["warning name: has no effect: there is no decorator 'name'"]],
    [{ session: 'NoSession' }, ["error session: there is no object 'NoSession' in this heap or in those around it"]],
  ])('of config.json: %j', (keys, problems) => {
    expect(told(problemsOfBase({ ...keys, handler }))).toEqual(problems);
  });

  it.each<[JsonObject, string[]]>([
    [{ name: 'main', _id: '1' }, []],
    [
      { monitor: { enabled: '${true}', percentiles: [0.5] } },
      ['warning monitor: has no effect: every route is monitored'],
    ],
    [{ handlerObject: 'Main' }, ["warning handlerObject: has no effect: there is no decorator 'handlerObject'"]],
    [{ auditService: 'AuditService' }, []],
    [
      { auditService: 'Nobody' },
      ["error auditService: there is no object 'Nobody' in this heap or in those around it"],
    ],
  ])('of a route: %j', (keys, problems) => {
    expect(told(checkConfigured({ ...keys, handler }))).toEqual(problems);
  });
});
