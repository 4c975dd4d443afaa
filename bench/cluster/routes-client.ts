import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { type ClusterAccess, kubeconfigToken } from '../../test/support/cluster/api-server.ts';

/** Writes Routes through the API, as `kubectl apply` does without its start. */
export class RoutesClient {
  private readonly access: ClusterAccess;
  private readonly namespace: string;
  private readonly agent: Agent;
  private readonly token: string;
  /** Names of slices that are there. */
  private readonly created = new Set<string>();

  constructor(access: ClusterAccess, namespace: string) {
    this.access = access;
    this.namespace = namespace;
    this.token = kubeconfigToken(access.kubeconfig);
    this.agent = new Agent({ connect: { ca: readFileSync(access.caFile, 'utf8') }, connections: 16 });
  }

  async create(name: string, spec: object): Promise<void> {
    const path = `/apis/gatewarden.io/v1alpha1/namespaces/${this.namespace}/routes`;
    await this.send('POST', path, 'application/json', name, spec);
  }

  /** Server-side apply. @returns when the API server had accepted it, on the clock of `performance.now()` */
  async apply(name: string, spec: object): Promise<number> {
    const path = `/apis/gatewarden.io/v1alpha1/namespaces/${this.namespace}/routes/${name}`;
    return this.send('PATCH', `${path}?fieldManager=bench&force=true`, 'application/apply-patch+yaml', name, spec);
  }

  /** Server-side apply of a Secret. @returns when the API server had accepted it */
  async applySecret(name: string, secret: object): Promise<number> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets/${name}?fieldManager=bench&force=true`;
    return this.write('PATCH', path, 'application/apply-patch+yaml', secret);
  }

  /** Server-side apply of an EndpointSlice. @returns when the API server had accepted it */
  async applySlice(name: string, slice: object): Promise<number> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices/${name}`;
    return this.write('PATCH', `${path}?fieldManager=bench&force=true`, 'application/apply-patch+yaml', slice);
  }

  /** Creates an EndpointSlice or replaces it, which costs the API server less than to apply it. */
  async replaceSlice(name: string, slice: object): Promise<number> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices`;
    if (this.created.has(name)) return this.write('PUT', `${path}/${name}`, 'application/json', slice);
    this.created.add(name);
    return this.write('POST', path, 'application/json', slice);
  }

  async deleteSlice(name: string): Promise<void> {
    const path = `/apis/discovery.k8s.io/v1/namespaces/${this.namespace}/endpointslices/${name}`;
    await this.write('DELETE', path, 'application/json', {});
  }

  private async send(
    method: 'POST' | 'PATCH',
    path: string,
    contentType: string,
    name: string,
    spec: object,
  ): Promise<number> {
    const metadata = { name, namespace: this.namespace };
    return this.write(method, path, contentType, {
      apiVersion: 'gatewarden.io/v1alpha1',
      kind: 'Route',
      metadata,
      spec,
    });
  }

  private async write(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    contentType: string,
    object: object,
  ): Promise<number> {
    const answer = await request(`${this.access.server}${path}`, {
      method,
      dispatcher: this.agent,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': contentType },
      body: JSON.stringify(object),
    });
    const accepted = performance.now();
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`the API server answers ${answer.statusCode}: ${text}`);
    return accepted;
  }

  /** Creates many, several at a time. */
  async createAll(count: number, each: (at: number) => readonly [name: string, spec: object]): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) await this.create(...each(next++));
    };
    await Promise.all(Array.from({ length: 12 }, work));
  }

  close(): Promise<void> {
    return this.agent.close();
  }
}
