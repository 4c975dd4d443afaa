import { concealQuoted } from '../../contract/conceal.ts';
import { didYouMean } from '../../contract/did-you-mean.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import { compileExpression } from '../../contract/expression/expression.ts';
import { EvaluationError } from '../../contract/expression/value.ts';
import { type Path, type Problem, ValueProblem } from '../../contract/problem.ts';
import { noReach, type Reach, tenantReach } from '../../contract/reach.ts';
import type { Kind } from '../../contract/vocabulary/reference.ts';
import { isNeverTrue } from '../../contract/vocabulary/runtime.ts';
import type {
  Checker,
  Judgement,
  SharedJudgement,
  TenantMeans,
  UnknownReference,
} from '../../controller/compile/checker.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { checkAdmin } from '../../dataplane/connectors/check-admin.ts';
import type { CheckOptions } from '../../dataplane/heap/check-options.ts';
import { checkDefaultObjects } from '../../dataplane/heap/default-objects.ts';
import type { Scope } from '../../dataplane/heap/scope.ts';
import { configurationLanguage } from '../../dataplane/language/runtime-language.ts';
import { valueJson } from '../../dataplane/language/value-json.ts';
import { checkBase, checkRoute, type DocumentVerdict } from '../../dataplane/routes/check-document.ts';
import { checkSingle } from '../../dataplane/routes/check-single.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { foundRouters } from '../../dataplane/routes/found-routers.ts';
import { neededBase, usableObjects, usedObjects } from '../../dataplane/routes/needed-base.ts';
import { readHostCertificate } from '../../dataplane/tls/hosts/host-certificate.ts';
import { errorText } from '../../platform/error-text.ts';

/** A document with those around it, the outermost first, the router of a route, and what `admin.json` says. */
interface Surroundings {
  readonly documents: readonly JsonObject[];
  readonly router?: string;
  readonly administrativePath?: string;
}

/** The data plane's own judgement of documents, with this reach. */
export function dataPlaneChecker(reach: Reach): Checker {
  const optionsFor = ({ documents, ...more }: Surroundings): CheckOptions => ({
    ...more,
    catalogue,
    reading: documentReading(reach, documents, () => {}),
    report: () => {},
  });

  function judgement(
    verdict: DocumentVerdict,
    around: Surroundings,
    unknownReferences: readonly UnknownReference[] = [],
    services: Judgement['services'] = [],
  ): Judgement {
    const { document, seen, condition, problems } = verdict;
    const { documents } = around;
    const written = documents.at(-1)?.['condition'];
    const isRead = condition !== null || written === undefined || written === null;
    const takesRequests = condition === null || !isNeverTrue(condition);
    const conditionIsReadable = isRead && takesRequests && !hasMisspeltCondition(problems);
    const found = { unknownReferences, services };
    if (seen === null) return { sound: false, conditionIsReadable, problems, routers: [], ...found };
    const routers = foundRouters(seen).map((facts) => ({
      ...facts,
      route: (route: JsonObject, id: string, means?: TenantMeans) => {
        const name = `${facts.name}.${id}`;
        const below = { ...around, router: facts.name };
        return means === undefined
          ? judgedRoute(route, name, seen.scope, { ...below, documents: [...documents, route] })
          : judgedTenantRoute(route, name, seen.scope, { ...below, documents: [route] }, means);
      },
      store: (declaration: JsonObject, means: TenantMeans) =>
        judgedShared('secretsProvider', declaration, seen.scope, means),
      auditService: (declaration: JsonObject, means: TenantMeans) =>
        judgedShared('auditService', declaration, seen.scope, means),
      uses(route: JsonObject, name: string, means: TenantMeans): readonly string[] {
        const checked = checkRoute(
          route,
          `${facts.name}.${name}`,
          seen.scope,
          tenantOptions({ ...around, documents: [route] }, means),
        );
        return checked.seen === null ? [] : usedObjects(checked.seen, seen.scope);
      },
      usable: (sharedObjects: ReadonlySet<string>) => usableObjects(seen, sharedObjects),
      needed: (used: Iterable<string>) => neededBase(documents.at(-1) ?? {}, seen, used),
    }));
    return { sound: document !== null, conditionIsReadable, problems, routers, ...found };
  }

  function judgedRoute(route: JsonObject, name: string, parent: Scope, around: Surroundings): Judgement {
    return judgement(checkRoute(route, name, parent, optionsFor(around)), around);
  }

  /** Properties of operators are no names in the document of a tenant, which is the only one around itself. */
  function judgedTenantRoute(
    route: JsonObject,
    name: string,
    parent: Scope,
    around: Surroundings,
    means: TenantMeans,
  ): Judgement {
    const unknown = unknownReferences();
    const services: Judgement['services'][number][] = [];
    const service: CheckOptions['service'] = (use, path) => void services.push({ ...use, path });
    const options = { ...tenantOptions(around, means), unknown: unknown.add, service };
    return judgement(checkRoute(route, name, parent, options), around, unknown.found, services);
  }

  function judgedShared(kind: Kind, declaration: JsonObject, parent: Scope, means: TenantMeans): SharedJudgement {
    const problems: Problem[] = [];
    const unknown = unknownReferences();
    const report = (problem: Problem): void => void problems.push(problem);
    const options = { ...tenantOptions({ documents: [] }, means), unknown: unknown.add, report };
    checkSingle(kind, declaration, parent, options);
    return { problems, unknownReferences: unknown.found };
  }

  function tenantOptions(
    { documents, ...more }: Surroundings,
    { files, sharedObjects, lend }: TenantMeans,
  ): CheckOptions {
    const reading = documentReading(tenantReach(files), documents, () => {});
    const lending = lend === undefined ? {} : { lend };
    const hears = { report: (): void => {}, service: (): void => {} };
    return { ...more, catalogue, reading, tenant: { sharedObjects }, ...hears, ...lending };
  }

  return {
    evaluate: (expression, constants, origin = 'operator') =>
      evaluated(expression, constants, origin === 'tenant' ? noReach : reach),
    admin(document) {
      const options = optionsFor({ documents: [document] });
      const { admin, problems } = checkAdmin(document, checkDefaultObjects(options), options);
      return { settings: admin?.settings ?? null, problems };
    },
    base(document, administrativePath) {
      const around = { documents: [document], ...(administrativePath === undefined ? {} : { administrativePath }) };
      const options = optionsFor(around);
      return judgement(checkBase(document, checkDefaultObjects(options), options), around);
    },
    certificate(chain, privateKey) {
      try {
        return { problem: null, ...readHostCertificate(chain, privateKey) };
      } catch (error) {
        return { problem: errorText(error) };
      }
    },
  };
}

function unknownReferences(): {
  readonly found: UnknownReference[];
  add(kind: Kind, name: string, path: Path): void;
} {
  const found: UnknownReference[] = [];
  return { found, add: (kind, name, path) => void found.push({ kind, name, path }) };
}

/** Without its condition a route would be about every request. */
function hasMisspeltCondition(problems: readonly Problem[]): boolean {
  const isIt = (key: unknown): boolean => didYouMean(String(key), ['condition']) !== undefined;
  return problems.some(({ code, path }) => code === 'unknown-field' && path.length === 1 && isIt(path[0]));
}

function evaluated(expression: string, constants: ReadonlyMap<string, JsonValue>, reach: Reach): JsonValue {
  const language = configurationLanguage(reach, constants);
  try {
    const policy = reach.origin === 'tenant' ? 'linear' : 'bounded';
    const compiled = compileExpression(expression, language, policy);
    const [unknown] = compiled.unknownRoots;
    if (unknown !== undefined) {
      const hint = 'an expression in properties may name those before it';
      throw new ValueProblem('expression', `'${unknown}' is not known here`, hint);
    }
    const value = compiled.evaluate(null, null);
    return JSON.parse(valueJson(value, language.shapes)) as JsonValue;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new ValueProblem(
      'expression',
      `${expression} cannot be evaluated: ${concealQuoted(error.message, expression)}`,
    );
  }
}
