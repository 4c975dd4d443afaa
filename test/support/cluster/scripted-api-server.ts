import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../contract/document/json-value.ts';

/** What came in. */
export interface ScriptedRequest {
  readonly kind: 'list' | 'watch' | 'other';
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | null;
  readonly content: string;
}

/** Answers one request in place of the server. */
export type Deed = (request: ScriptedRequest, response: ServerResponse) => void;

interface Place {
  readonly plural: string;
  readonly namespace: string | null;
  readonly name: string | null;
}

interface Logged {
  readonly version: number;
  readonly type: string;
  readonly place: string;
  readonly object: ScriptedObject;
}

export interface ScriptedObject extends JsonObject {
  readonly metadata: JsonObject;
}

interface OpenWatch {
  readonly request: ScriptedRequest;
  readonly response: ServerResponse;
}

/** An API server over HTTP that lists and watches as a real one does, and misbehaves when it is told to. */
export class ScriptedApiServer {
  /** Everything that was asked, in order. */
  readonly requests: ScriptedRequest[] = [];
  /** The only token that is let in; null lets everybody in. */
  token: string | null = null;
  private readonly objects = new Map<string, ScriptedObject>();
  private readonly log: Logged[] = [];
  private readonly script: { readonly kind: ScriptedRequest['kind']; readonly deed: Deed }[] = [];
  private readonly watches = new Set<OpenWatch>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;
  private version = 1000;
  private compacted = 0;

  private constructor() {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** Runs for the rest of the test. */
  static async start(): Promise<ScriptedApiServer> {
    const server = new ScriptedApiServer();
    server.server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    onTestFinished(() => server.stop());
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @returns the path of a kubeconfig for this server, for the rest of the test */
  kubeconfig(user: JsonObject = {}): string {
    const folder = mkdtempSync(join(tmpdir(), 'gatewarden-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'kubeconfig');
    const named = { name: 'here', context: { cluster: 'here', user: 'me', namespace: 'home' } };
    const cluster = { server: this.url, 'insecure-skip-tls-verify': true };
    const config = { clusters: [{ name: 'here', cluster }], users: [{ name: 'me', user }], contexts: [named] };
    writeFileSync(path, JSON.stringify({ ...config, 'current-context': 'here' }));
    return path;
  }

  count(kind: ScriptedRequest['kind']): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  get openWatches(): number {
    return this.watches.size;
  }

  /** Creates an object or changes it. @param place `namespace/plural/name` */
  put(place: string, object: JsonObject = {}): ScriptedObject {
    const before = this.objects.get(place);
    const [namespace = '', , name = ''] = place.split('/');
    const version = ++this.version;
    const given = object['metadata'] as JsonObject | undefined;
    const metadata = {
      ...(namespace !== '' && { namespace }),
      name,
      uid: before?.metadata['uid'] ?? `uid-${version}`,
      generation: version,
      ...given,
      resourceVersion: String(version),
    };
    const stored = { ...object, metadata };
    this.objects.set(place, stored);
    this.tell({ version, type: before === undefined ? 'ADDED' : 'MODIFIED', place, object: stored });
    return stored;
  }

  remove(place: string): void {
    const before = this.objects.get(place);
    if (before === undefined) throw new Error(`there is no ${place}`);
    this.objects.delete(place);
    const version = ++this.version;
    const object = { ...before, metadata: { ...before.metadata, resourceVersion: String(version) } };
    this.tell({ version, type: 'DELETED', place, object });
  }

  /** Forgets the past: watches that begin in it are told that it is gone. */
  compact(): void {
    this.compacted = this.version;
  }

  /** As after etcd was restored from a backup: versions begin anew, lower than they were. */
  rewind(version: number): void {
    this.version = version;
    this.compacted = 0;
    this.log.length = 0;
  }

  bookmark(): void {
    for (const { response } of this.watches) response.write(eventLine('BOOKMARK', bookmarkAt(this.version)));
  }

  /** Does this instead of answering the next request of the kind that nothing else is meant for. */
  next(kind: ScriptedRequest['kind'], ...deeds: readonly Deed[]): void {
    for (const deed of deeds) this.script.push({ kind, deed });
  }

  /** Writes to every open watch. */
  write(text: string): void {
    for (const { response } of this.watches) response.write(text);
  }

  /** Ends every open watch in an orderly way, perhaps after some last bytes. */
  end(text = ''): void {
    for (const { response } of this.watches) response.end(text);
  }

  /** Breaks every connection off. */
  reset(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(incoming.url ?? '', this.url);
    const place = placeOf(path);
    let content = '';
    for await (const piece of incoming.setEncoding('utf8')) content += piece;
    const isRead = incoming.method === 'GET' && place !== null && place.name === null;
    const kind = !isRead ? 'other' : query.has('watch') ? 'watch' : 'list';
    const { method = '', headers } = incoming;
    const request = { kind, method, path, query, authorization: headers.authorization ?? null, content } as const;
    this.requests.push(request);
    const at = this.script.findIndex((step) => step.kind === kind);
    const [step] = at < 0 ? [] : this.script.splice(at, 1);
    if (step !== undefined) step.deed(request, response);
    else if (this.token !== null && headers.authorization !== `Bearer ${this.token}`) answer(401)(request, response);
    else if (place === null || !isRead) json(response, 200, { method, path });
    else if (kind === 'watch') this.watch(place, request, response);
    else this.list(place, query, response);
  }

  private list(place: Place, query: URLSearchParams, response: ServerResponse): void {
    const [version = String(this.version), from = '0'] = (query.get('continue') ?? '').split(':').filter(Boolean);
    const all = [...this.objects].filter(([at, object]) => isIn(at, object, place, query)).map(([, object]) => object);
    const limit = Number(query.get('limit') ?? all.length);
    const end = Number(from) + limit;
    const more = end < all.length ? `${version}:${end}` : '';
    const metadata = { resourceVersion: version, ...(more !== '' && { continue: more }) };
    json(response, 200, { kind: 'List', metadata, items: all.slice(Number(from), end) });
  }

  private watch(place: Place, request: ScriptedRequest, response: ServerResponse): void {
    const from = Number(request.query.get('resourceVersion'));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (from < this.compacted) {
      response.end(eventLine('ERROR', statusObject(410, 'Expired', 'too old resource version')));
      return;
    }
    const watch = { request, response };
    this.watches.add(watch);
    response.on('close', () => this.watches.delete(watch));
    for (const logged of this.log) if (logged.version > from) send(watch, place, logged);
  }

  private tell(logged: Logged): void {
    this.log.push(logged);
    for (const watch of this.watches) send(watch, placeOf(watch.request.path)!, logged);
  }
}

function send({ request, response }: OpenWatch, place: Place, { type, place: at, object }: Logged): void {
  if (isIn(at, object, place, request.query)) response.write(eventLine(type, object));
}

export function eventLine(type: string, object: JsonObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function bookmarkAt(version: number | string): JsonObject {
  return { kind: 'Route', metadata: { resourceVersion: String(version) } };
}

export function statusObject(code: number, reason: string, message: string): JsonObject {
  return { kind: 'Status', status: 'Failure', code, reason, message };
}

/** Answers with a status and what an API server says about it. */
export function answer(code: number, headers: Record<string, string> = {}, reason = ''): Deed {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(statusObject(code, reason, `scripted ${code}`)));
  };
}

/** Begins a watch or list with 200, and then does what it is told. */
export function begin(then: (response: ServerResponse) => void): Deed {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    then(response);
  };
}

/** Breaks the connection off instead of answering. */
export const resetConnection: Deed = (_, response) => {
  const { socket } = response;
  if (socket !== null) socket.resetAndDestroy();
};

function json(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(content));
}

/** Reads `/api/v1/namespaces/a/secrets/b`, with or without a group, a namespace and a name. */
function placeOf(path: string): Place | null {
  const words = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3);
  const [first, second, plural, name] = words;
  if (first === undefined) return null;
  if (first === 'namespaces' && plural !== undefined) return { namespace: second ?? null, plural, name: name ?? null };
  return { namespace: null, plural: first, name: second ?? null };
}

function isIn(at: string, object: ScriptedObject, { namespace, plural }: Place, query: URLSearchParams): boolean {
  const [ownNamespace, ownPlural] = at.split('/');
  if (ownPlural !== plural || (namespace !== null && namespace !== ownNamespace)) return false;
  const named = query.get('fieldSelector')?.replace('metadata.name=', '');
  if (named !== undefined && object.metadata['name'] !== named) return false;
  const selector = query.get('labelSelector') ?? '';
  const labels = (object.metadata['labels'] ?? {}) as JsonObject;
  const [, among, names = ''] = /^(\S+) in \((.*)\)$/.exec(selector) ?? [];
  if (among !== undefined) return names.split(',').includes(String(labels[among]));
  const [label, value] = selector.split('=');
  return label === undefined || label === '' || labels[label] === value;
}
