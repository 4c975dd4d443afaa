import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { type Problem, ValueProblem } from '../../../contract/problem.ts';
import type { Checker, FoundRouter, Judgement } from '../../../controller/compile/checker.ts';

/**
 * Judges by what documents say of themselves: `unsound` is an error, `vague` a condition that cannot be read, `routers`
 * declares routers and `needs` names a property that must be around.
 */
export class PlainChecker implements Checker {
  /** The names of the routes that were judged, in order. */
  readonly judged: string[] = [];

  evaluate(expression: string, constants: ReadonlyMap<string, JsonValue>): JsonValue {
    const name = /^\$\{(\w+)\}$/.exec(expression)?.[1] ?? '';
    const value = constants.get(name);
    if (value === undefined) throw new ValueProblem('expression', `there is no ${name}`);
    return value;
  }

  admin(): ReturnType<Checker['admin']> {
    return { settings: null, problems: [] };
  }

  certificate(): ReturnType<Checker['certificate']> {
    return { problem: 'there are none' };
  }

  base(document: JsonObject): Judgement {
    this.judged.push('config.json');
    return this.judge(document, 'gateway', [document]);
  }

  private judge(document: JsonObject, scope: string, around: readonly JsonObject[]): Judgement {
    const problems: Problem[] = [];
    const error = (key: string): void =>
      void problems.push({ code: 'value', severity: 'error', path: [key], message: `is ${key}` });
    if (document['unsound'] !== undefined) error('unsound');
    const needed = document['needs'];
    const has = ({ properties }: JsonObject): boolean => isJsonObject(properties) && String(needed) in properties;
    if (needed !== undefined && !around.some(has)) error('needs');
    const isVague = document['vague'] !== undefined;
    if (isVague) error('vague');
    const sound = problems.length === 0;
    return {
      sound,
      conditionIsReadable: !isVague,
      problems,
      routers: this.routers(document, scope, around),
      unknownReferences: [],
      services: [],
    };
  }

  private routers(document: JsonObject, scope: string, around: readonly JsonObject[]): FoundRouter[] {
    const declared = document['routers'];
    if (!Array.isArray(declared)) return [];
    return declared.filter(isJsonObject).map((router: JsonObject, index) => {
      const name = `${scope}.${String(router['name'])}`;
      return {
        name,
        path: ['routers', index],
        directory: typeof router['directory'] === 'string' ? router['directory'] : null,
        scanInterval: Number(router['scanInterval'] ?? 10_000),
        hasDefaultHandler: router['defaultHandler'] === true,
        route: (route: JsonObject, routeName: string) => {
          this.judged.push(routeName);
          return this.judge(route, `${name}.${routeName}`, [...around, route]);
        },
        store: () => ({ problems: [], unknownReferences: [] }),
        auditService: () => ({ problems: [], unknownReferences: [] }),
        uses: () => [],
        usable: () => [],
        needed: () => document,
      };
    });
  }
}
