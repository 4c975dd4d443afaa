import { join } from 'node:path';
import { applySlowPatch, type SlowPatchOptions } from '../../contract/crest/apply-patch.ts';
import { badRequest, CrestError } from '../../contract/crest/crest-error.ts';
import type { PageCookies } from '../../contract/crest/page-cookie.ts';
import type { CollectionProvider, CrestCall } from '../../contract/crest/provider.ts';
import { queryResources } from '../../contract/crest/query-resources.ts';
import { boundsProblem } from '../../contract/document/document-bounds.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { problemRecord } from '../../contract/problem-text.ts';
import { errorText } from '../../platform/error-text.ts';
import { isDocumentName } from '../compile/document-of.ts';
import type { SourceFile } from '../compile/source-file.ts';
import { type EvaluateExpression, readAskedExpression } from './asked-expression.ts';
import { type ExplainRequest, readAskedRequest } from './explained-request.ts';
import { judgeRoute, type RouteProblem, routeProblems } from './judged-route.ts';
import type { ManagedInstance } from './managed-instance.ts';
import { type ManagedRoute, managedRoute, managedRoutes } from './managed-route.ts';
import { createFile, FileChanged, modifiedAt, removeFile, replaceFile } from './route-file.ts';
import type { RouteSecrets } from './route-secrets.ts';
import type { RouteVersions } from './route-versions.ts';

export interface RouteCollectionOptions {
  readonly instance: ManagedInstance;
  /** Qualified name of the router. */
  readonly router: string;
  /** Directory that the router reads. */
  readonly directory: string;
  readonly cookies: PageCookies;
  /** Runs changes one after the other. */
  readonly queue: <T>(change: () => Promise<T>) => Promise<T>;
  readonly explain: ExplainRequest;
  readonly evaluate: EvaluateExpression;
  readonly secrets: RouteSecrets;
  /** Keeps the last versions of routes. */
  readonly versions?: RouteVersions | undefined;
  /** Transforms values with scripts. */
  readonly patching?: SlowPatchOptions | undefined;
  /** Called after each change. */
  changed(change: ChangedRoute): void;
}

/** A route that was changed over HTTP. */
export interface ChangedRoute {
  readonly operation: 'create' | 'update' | 'patch' | 'delete';
  readonly router: string;
  readonly route: string;
  readonly transactionId: string | undefined;
}

/** A change of the file of a route. */
interface RouteChange {
  readonly id: string;
  /** The file before the change; null for a new one. */
  readonly file: SourceFile | null;
  readonly path: string;
  write(): void;
  undo(): void;
}

const LONGEST_ID = 200;

/** Routes of a router as resources: reads show the files, and changes write them. */
export function routeCollection(options: RouteCollectionOptions): CollectionProvider {
  const { instance, router, directory, cookies, queue, secrets } = options;
  const known = (id: string): ManagedRoute | undefined =>
    managedRoute(instance.compilation.verdicts, router, id, secrets);

  function found(id: string, expected: string | null = null): ManagedRoute {
    const route = known(id);
    if (route === undefined) throw new CrestError(404, missing(id));
    if (expected !== null && expected !== route.revision) {
      throw new CrestError(412, `the route '${id}' has another revision`);
    }
    return route;
  }

  function missing(id: string): string {
    const path = join(directory, `${id}.json`);
    const isFile = instance.compilation.verdicts.some(({ role, file }) => role === 'route' && file.path === path);
    return isFile
      ? `the file '${id}.json' cannot be read as a route with this id: correct the file`
      : `there is no route '${id}'`;
  }

  async function replace(before: ManagedRoute, given: JsonObject): Promise<ManagedRoute> {
    const { id, file } = before;
    refuseProblems(excessOf(given), id);
    const text = textOf(
      id,
      secrets.restored(id, given, before.document, () => keptDocuments(id)),
    );
    if (Buffer.compare(file.content, Buffer.from(text)) === 0) return before;
    refuseProblems(await judgeRoute(instance, { directory, path: file.path, content: Buffer.from(text) }), id);
    await change({
      id,
      file,
      path: file.path,
      write: () => replaceFile(file.path, file.content, text),
      undo: () => replaceFile(file.path, Buffer.from(text), file.content),
    });
    return found(id);
  }

  /**
   * Changes a file and waits until the change runs. A change that cannot be built is taken back: the route would be gone
   * after the next start.
   *
   * @throws CrestError if somebody else has changed the file
   */
  async function change({ id, file, path, write, undo }: RouteChange): Promise<void> {
    attempt(id, path, write);
    const unbuilt = await instance.written(path, file);
    if (unbuilt === null) throw new CrestError(503, `the route '${id}' is written, and does not run yet`);
    if (unbuilt.length === 0) return;
    const now = instance.compilation.verdicts.find((verdict) => verdict.file.path === path)?.file ?? null;
    const problems = now === null ? [] : unbuilt.flatMap((part) => routeProblems(now, part.problems));
    attempt(id, path, undo);
    await instance.written(path, now);
    refuseProblems(problems, id);
  }

  /** Changes a file. @throws CrestError */
  function attempt(id: string, path: string, write: () => void): void {
    try {
      write();
    } catch (error) {
      if (!(error instanceof FileChanged)) {
        throw new CrestError(500, `the file of the route '${id}' cannot be changed`, {
          causeMessage: errorText(error),
        });
      }
      instance.reread(path);
      throw new CrestError(412, `the route '${id}': ${error.message}`);
    }
  }

  /** Documents of versions that are kept: a secret that one of them has can be restored. */
  function keptDocuments(id: string): JsonObject[] {
    return options.versions?.of({ router, id }).map(({ document }) => document) ?? [];
  }

  /** Makes a change when those before it are made. */
  async function inTurn(
    operation: ChangedRoute['operation'],
    given: string | null,
    { transactionId }: CrestCall,
    make: () => Promise<ManagedRoute>,
  ): Promise<ManagedRoute> {
    const route = await queue(async () => {
      const before = given === null ? undefined : known(given);
      const at = before === undefined ? null : modifiedAt(before.file.path);
      const made = await make();
      if (operation === 'delete' || made.revision !== before?.revision) {
        options.versions?.add(
          { router, id: made.id },
          {
            operation,
            transactionId: transactionId ?? null,
            before: before === undefined || at === null ? null : { document: before.document, at },
            document: made.document,
          },
        );
      }
      return made;
    });
    options.changed({ operation, router, route: route.id, transactionId });
    return route;
  }

  async function validated(given: string | null, body: JsonValue): Promise<JsonValue> {
    const content = isJsonObject(body) ? body : given === null ? {} : found(given).content;
    const id = given ?? (typeof content['_id'] === 'string' ? content['_id'] : 'validated');
    const excess = excessOf(content);
    if (excess.length > 0) return { valid: false, problems: excess };
    const route = known(id);
    const document = secrets.restored(id, content, route?.document ?? null, () => keptDocuments(id));
    const path = route?.file.path ?? join(directory, `${checkedId(id)}.json`);
    const problems = await judgeRoute(instance, { directory, path, content: Buffer.from(textOf(id, document)) });
    return {
      valid: !problems.some(({ severity }) => severity === 'error'),
      problems,
    };
  }

  async function explained(given: string | null, body: JsonValue): Promise<JsonValue> {
    const asked = readAskedRequest(body);
    if (given !== null) found(given);
    const { snapshot } = instance.compilation;
    if (snapshot === null) throw new CrestError(503, 'nothing is served: config.json is not valid');
    const explanation = await options.explain(snapshot, asked);
    if (given === null) return explanation;
    const routers = explanation['routers'] as readonly JsonObject[];
    return { takes: routers.some((one) => one['router'] === router && one['route'] === given), ...explanation };
  }

  return {
    create: (given, content, call) =>
      inTurn('create', given, call, async () => {
        const id = checkedId(given);
        if (known(id) !== undefined) throw new CrestError(412, `the route '${id}' exists already`);
        const path = join(directory, `${id}.json`);
        if (instance.compilation.verdicts.some(({ file }) => file.path === path)) {
          throw new CrestError(409, `the route '${id}' needs the file '${id}.json', which holds something else`);
        }
        refuseProblems(excessOf(content), id);
        const text = textOf(
          id,
          secrets.restored(id, content, null, () => keptDocuments(id)),
        );
        refuseProblems(await judgeRoute(instance, { directory, path, content: Buffer.from(text) }), id);
        await change({
          id,
          file: null,
          path,
          write: () => createFile(path, text),
          undo: () => removeFile(path, Buffer.from(text)),
        });
        return found(id);
      }),
    read: async (id) => found(id),
    update: (id, expected, content, call) => inTurn('update', id, call, () => replace(found(id, expected), content)),
    patch: (id, expected, operations, call) =>
      inTurn('patch', id, call, async () => {
        const before = found(id, expected);
        return replace(before, await applySlowPatch(before.content, operations, options.patching));
      }),
    delete: (id, expected, call) =>
      inTurn('delete', id, call, async () => {
        const before = found(id, expected);
        const { file } = before;
        const { path, content } = file;
        await change({
          id,
          file,
          path,
          write: () => removeFile(path, content),
          undo: () => createFile(path, content),
        });
        return before;
      }),
    query: async (query) =>
      queryResources(managedRoutes(instance.compilation.verdicts, router, secrets), query, cookies, router),
    async act(given, action, body) {
      if (action === 'validate') return validated(given, body);
      if (action === 'explain') return explained(given, body);
      if (action === 'evaluate') return options.evaluate(readAskedExpression(body));
      throw new CrestError(501, `there is no action '${action}'; there are 'validate', 'explain' and 'evaluate'`);
    },
  };
}

/** The id is the name of the file, so it must be one. */
function checkedId(id: string | null): string {
  if (id === null) throw badRequest("'_id' is missing: a route needs an id");
  if (id === 'default') throw badRequest("a route cannot have the id 'default', which is the router's default handler");
  if (/[\p{Cc}/\\]/u.test(id) || !isDocumentName(`${id}.json`) || Buffer.byteLength(id) > LONGEST_ID) {
    throw badRequest(
      `a route id must not begin with a dot, hold slashes or line separators, or have more than ${LONGEST_ID} bytes`,
    );
  }
  if (!id.isWellFormed()) throw badRequest('a route id must be Unicode text');
  return id;
}

/** Writes a document with its id first. */
function textOf(id: string, { _id, _rev, ...content }: JsonObject): string {
  if (_id !== undefined && _id !== id) throw badRequest(`'_id' must be '${id}', as in the path`);
  return `${JSON.stringify({ _id: id, ...content }, null, 2)}\n`;
}

/** The problem of a document that is too long to be looked at while probes and other requests wait; empty for none. */
function excessOf(document: JsonObject): RouteProblem[] {
  const excess = boundsProblem(document);
  if (excess === null) return [];
  const { severity, code, path, message } = problemRecord(excess);
  return [{ severity, code, path, message }];
}

function refuseProblems(problems: readonly RouteProblem[], id: string): void {
  const [first] = problems.filter(({ severity }) => severity === 'error');
  if (first === undefined) return;
  const causeMessage = first.path === '' ? first.message : `${first.path}: ${first.message}`;
  throw new CrestError(409, `the route '${id}' is not valid; nothing was changed`, {
    causeMessage,
    detail: { problems },
  });
}
