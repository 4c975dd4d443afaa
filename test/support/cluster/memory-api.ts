import type { ApiAnswer, ApiCaller, ApiRequest } from '../../../controller/cluster/api/api-client.ts';
import { ApiError } from '../../../controller/cluster/api/api-error.ts';

interface StoredObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** What objects of an API server do that are created, replaced and applied, without a server. */
export class MemoryApi implements Pick<ApiCaller, 'call'> {
  readonly requests: ApiRequest[] = [];
  readonly objects = new Map<string, StoredObject>();
  private version = 100;

  async call(request: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(request);
    const { method, path } = request;
    const body = request.body as StoredObject | undefined;
    if (method === 'GET') return { status: 200, body: this.find(path) };
    if (method === 'POST') {
      const at = `${path}/${body?.metadata.name}`;
      if (this.objects.has(at)) throw failure(409, 'AlreadyExists');
      return { status: 201, body: this.put(at, body ?? {}) };
    }
    const at = path.replace(/\/status$/, '');
    const before = this.find(at);
    const { uid, resourceVersion } = body?.metadata ?? {};
    if (uid !== undefined && uid !== before.metadata.uid) throw failure(409, 'Conflict');
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw failure(409, 'Conflict');
    const { metadata, ...content } = this.put(at, method === 'PUT' ? (body ?? {}) : { ...before, ...body });
    const isPartial = request.accept?.includes('as=PartialObjectMetadata;g=meta.k8s.io;v=v1') === true;
    return { status: 200, body: isPartial ? { kind: 'PartialObjectMetadata', metadata } : { ...content, metadata } };
  }

  /** Creates an object or changes it, as somebody else would. */
  put(at: string, object: object, generation = 1): StoredObject {
    const before = this.objects.get(at);
    const version = ++this.version;
    const metadata = {
      name: at.slice(at.lastIndexOf('/') + 1),
      uid: before?.metadata.uid ?? `uid-${version}`,
      generation: Math.max(generation, before?.metadata.generation ?? 0),
      resourceVersion: String(version),
    };
    const { annotations } = (object as Partial<StoredObject>).metadata ?? {};
    const stored: StoredObject = { ...object, metadata: { ...metadata, ...(annotations && { annotations }) } };
    this.objects.set(at, stored);
    return stored;
  }

  find(at: string): StoredObject {
    const found = this.objects.get(at);
    if (found === undefined) throw failure(404, 'NotFound');
    return found;
  }

  /** How often something was asked for with this method. */
  count(method: ApiRequest['method']): number {
    return this.requests.filter((request) => request.method === method).length;
  }
}

export function failure(status: number, reason: string, retryAfter: number | null = null): ApiError {
  return new ApiError(`${status}: scripted`, { status, reason, retryAfter });
}
