import { setTimeout as pause } from 'node:timers/promises';
import { badRequest, CrestError } from '../../../contract/crest/crest-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { GROUP, type Resource, resourcePlurals, VERSION } from '../../../contract/resources/resource.ts';
import type { AdmissionJudge } from '../../admission/admission-judge.ts';
import { metadataOf } from '../../admission/review-envelope.ts';
import type { ApiAnswer, ApiOnBehalf, ApiRequest } from '../api/api-client.ts';
import { ApiError } from '../api/api-error.ts';
import { resourcePath } from '../api/resource-path.ts';
import { isOlderVersion } from '../api/resource-version.ts';
import { apiRefusal } from './api-refusal.ts';
import { unavailable } from './caller-review.ts';
import type { ResourceItem } from './resource-items.ts';
import { type RoutePlace, routeId } from './route-place.ts';
import { judgedProblems } from './route-problems.ts';

export interface RouteWriterOptions {
  readonly api: ApiOnBehalf;
  /** The caller's token, for as long as the request lasts. */
  readonly token: string;
  readonly judge: AdmissionJudge;
  /** Lets documents be judged one after the other, so that nothing else waits for long. */
  inTurn<T>(run: () => T): Promise<T>;
  /** True for a namespace whose Routes this gateway serves. */
  isFollowed(namespace: string): boolean;
  /** A Route as the cache has it; null for none. */
  known(place: RoutePlace): Resource | null;
  /** Resolves when the cache has this version or a later one, or after a while. */
  seen(place: RoutePlace, version: string | null): Promise<void>;
}

/** Tries of a change while others change the object, though not its spec. */
const MOST_TRIES = 20;
/** Milliseconds of the longest pause between two tries. */
const LONGEST_PAUSE = 200;
const TIMEOUT = 10_000;
const MANAGER = { fieldManager: 'gatewarden-common-rest' };

/** Makes the new spec of the one before. */
type SpecChange = (before: JsonObject) => JsonObject | Promise<JsonObject>;

interface RouteChange {
  /** The Route as it is to be. */
  readonly object: JsonObject;
  readonly request: ApiRequest;
}

/** Changes Routes with the token of the caller: the API server decides, admits, and writes its own audit log. */
export class RouteWriter {
  private readonly options: RouteWriterOptions;

  constructor(options: RouteWriterOptions) {
    this.options = options;
  }

  async read(place: RoutePlace): Promise<ResourceItem> {
    return itemOf(await this.current(place));
  }

  async create(place: RoutePlace, spec: JsonObject): Promise<ResourceItem> {
    const object = routeObject(place, spec);
    const path = routePath({ namespace: place.namespace });
    try {
      return await this.taken(place, await this.write(place, { method: 'POST', path, body: object }));
    } catch (error) {
      throw await this.refusal(error, place, object, 'AlreadyExists');
    }
  }

  /** @param specOf returns the new spec */
  async update(place: RoutePlace, expected: string | null, specOf: SpecChange): Promise<ResourceItem> {
    const { answer } = await this.changed(place, expected, async (before) => {
      const object = { ...before, spec: await specOf(specIn(before)) };
      return { object, request: { method: 'PUT', path: routePath(place), body: object } };
    });
    return this.taken(place, answer);
  }

  /** Differs from an update in the verb that the caller needs. */
  async patch(place: RoutePlace, expected: string | null, specOf: SpecChange): Promise<ResourceItem> {
    const { answer } = await this.changed(place, expected, async (before) => {
      const spec = await specOf(specIn(before));
      const body = [
        { op: 'replace', path: '/metadata/resourceVersion', value: versionOf(before) },
        { op: 'replace', path: '/spec', value: spec },
      ];
      const request = { method: 'PATCH', path: routePath(place), body } as const;
      return { object: { ...before, spec }, request: { ...request, contentType: 'application/json-patch+json' } };
    });
    return this.taken(place, answer);
  }

  /** @returns the Route as it was */
  async remove(place: RoutePlace, expected: string | null): Promise<ResourceItem> {
    const { before } = await this.changed(place, expected, (object) => {
      const body = { preconditions: { resourceVersion: versionOf(object), uid: metadataOf(object)['uid'] } };
      return { object, request: { method: 'DELETE', path: routePath(place), body } };
    });
    await this.options.seen(place, null);
    return itemOf(before);
  }

  /** Makes a change on what the API server has. A change by somebody else meanwhile counts only if it is one of the spec. */
  private async changed(
    place: RoutePlace,
    expected: string | null,
    changeOf: (before: JsonObject) => RouteChange | Promise<RouteChange>,
  ): Promise<{ readonly before: JsonObject; readonly answer: ApiAnswer }> {
    for (let tries = 1; ; tries++) {
      const before = await this.current(place);
      if (expected !== null && !this.isStill(place, expected, before)) {
        throw new CrestError(412, `the Route '${routeId(place)}' has another revision`);
      }
      const { object, request } = await changeOf(before);
      try {
        return { before, answer: await this.write(place, request) };
      } catch (error) {
        const isRace = error instanceof ApiError && error.reason === 'Conflict';
        if (!isRace) throw await this.refusal(error, place, object);
        if (tries >= MOST_TRIES) throw unavailable(`others keep changing the Route '${routeId(place)}'`);
      }
      // Of several that try again at once, one goes first.
      await pause(Math.random() * Math.min(LONGEST_PAUSE, 2 ** tries));
    }
  }

  /**
   * Returns true if the spec of an object is that of a revision. Controllers write the status of a Route and so give it another
   * resourceVersion, which is no reason to refuse the change of a person.
   */
  private isStill(place: RoutePlace, expected: string, now: JsonObject): boolean {
    const version = versionOf(now);
    if (expected === version) return true;
    const known = this.options.known(place);
    const { uid, generation } = metadataOf(now);
    if (known === null || known.uid !== uid || known.generation !== generation || !/^\d+$/.test(expected)) return false;
    const since = known.specSince ?? known.resourceVersion;
    return !isOlderVersion(expected, since) && isOlderVersion(expected, version);
  }

  private async current(place: RoutePlace): Promise<JsonObject> {
    try {
      return objectIn(await this.call({ method: 'GET', path: routePath(place) }));
    } catch (error) {
      throw await this.refusal(error, place, null);
    }
  }

  /** Takes a written Route. The next read here shows it, unless the cache is far behind. */
  private async taken(place: RoutePlace, answer: ApiAnswer): Promise<ResourceItem> {
    const item = itemOf(objectIn(answer));
    await this.options.seen(place, item.revision);
    return item;
  }

  private call(request: ApiRequest): Promise<ApiAnswer> {
    const { api, token } = this.options;
    return api.callAs(token, { ...request, timeout: TIMEOUT });
  }

  /**
   * Sends a change. For a namespace that is not followed the API server only tries it, so that callers without rights
   * get the same answer there as elsewhere.
   */
  private async write(place: RoutePlace, request: ApiRequest): Promise<ApiAnswer> {
    const query = request.method === 'DELETE' ? {} : MANAGER;
    if (this.options.isFollowed(place.namespace)) return this.call({ ...request, query });
    await this.call({ ...request, query: { ...query, dryRun: 'All' } });
    throw notFollowed(place);
  }

  /** @param object as it was to be, whose problems the caller should see @param race reason that means 412 */
  private async refusal(error: unknown, place: RoutePlace, object: JsonObject | null, race?: string): Promise<unknown> {
    if (!(error instanceof ApiError)) return error;
    const { status } = error;
    const isAboutContent =
      error.reason === race || status === 400 || status === 409 || status === 413 || status === 422;
    if (isAboutContent && !this.options.isFollowed(place.namespace)) return notFollowed(place);
    if (error.reason === race) return new CrestError(412, error.detail);
    return status === 422 && object !== null ? await this.invalid(error, place, object) : apiRefusal(error);
  }

  private async invalid({ detail }: ApiError, place: RoutePlace, object: JsonObject): Promise<unknown> {
    const { judge, inTurn } = this.options;
    try {
      const problems = await inTurn(() => judgedProblems(judge, object));
      return new CrestError(409, `the Route '${routeId(place)}' is not valid; nothing was changed`, {
        causeMessage: detail,
        detail: { problems },
      });
    } catch (error) {
      return error;
    }
  }
}

/** The answer to callers who could change a Route that this gateway does not serve. */
export function notFollowed({ namespace }: RoutePlace): CrestError {
  return badRequest(`this gateway does not watch the namespace '${namespace}'`);
}

/** A Route as an API server takes it. */
export function routeObject({ namespace, name }: RoutePlace, spec: JsonObject): JsonObject {
  return { apiVersion: `${GROUP}/${VERSION}`, kind: 'Route', metadata: { namespace, name }, spec };
}

function routePath(place: { readonly namespace: string; readonly name?: string }): string {
  return resourcePath({ group: GROUP, version: VERSION, plural: resourcePlurals.Route, ...place });
}

function objectIn({ body }: ApiAnswer): JsonObject {
  if (isJsonObject(body as JsonValue)) return body as JsonObject;
  throw new ApiError('the API server did not answer with an object', { status: 0, reason: 'Malformed' });
}

function specIn({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object)['resourceVersion']);
}

function itemOf(object: JsonObject): ResourceItem {
  const { namespace, name } = metadataOf(object);
  const place = { namespace: String(namespace), name: String(name) };
  return { id: routeId(place), revision: versionOf(object), namespace: place.namespace, content: specIn(object) };
}
