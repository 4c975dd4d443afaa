import { dataPlaneChecker } from '../../../cli/actions/checker.ts';
import type { JsonObject, JsonValue } from '../../../contract/document/json-value.ts';
import {
  type Resource,
  type ResourceKind,
  resourceKey,
  type SecretContent,
} from '../../../contract/resources/resource.ts';
import type { Checker, FoundRouter, Judgement } from '../../../controller/compile/checker.ts';
import { type Compilation, Compiler } from '../../../controller/compile/compiler.ts';
import type { InstanceState } from '../../../controller/compile/instance-state.ts';
import { type LastGood, nothingGood } from '../../../controller/compile/last-good.ts';
import type { ResourceVerdict } from '../../../controller/compile/resources/resource-verdict.ts';
import type { ServiceContent } from '../../../controller/compile/resources/shared/service-content.ts';
import type { SourceFile } from '../../../controller/compile/source-file.ts';
import { LayeredMap } from '../../../platform/layered-map.ts';
import { operatorReach } from '../gateways/operator-reach.ts';

/** What becomes of one change of a resource beside its spec. */
export interface ResourceFields {
  readonly created?: string;
  readonly uid?: string;
  readonly lastGood?: Resource['lastGood'];
}

/** A cluster in memory with the compiler that judges it as the data plane does. */
export class CompiledCluster {
  /** What was judged, in order: names of routes and keys of stores and audit services. */
  readonly judged: string[] = [];
  readonly routes = new Map<string, Resource>();
  readonly secretStores = new Map<string, Resource>();
  readonly auditServices = new Map<string, Resource>();
  readonly secrets = new Map<string, SecretContent | null>();
  services = new Map<string, ServiceContent | null>();
  /** What takes the place of the Services. */
  assumes: 'no cluster' | 'all Services' | null = null;
  compiler: Compiler;
  lastGood: LastGood = nothingGood;
  config: SourceFile | null = null;
  admin: SourceFile | null = null;
  trust: SourceFile | null = null;
  private version = 100;
  private shownRoutes = LayeredMap.of(new Map<string, Resource>());
  private readonly env: Readonly<Record<string, string>>;

  constructor(env: Readonly<Record<string, string>> = {}) {
    this.env = env;
    this.compiler = this.newCompiler();
  }

  /** A controller that knows nothing yet takes over. */
  restart(): this {
    this.compiler = this.newCompiler();
    this.lastGood = nothingGood;
    return this;
  }

  route(name: string, spec: JsonObject, fields: ResourceFields = {}): this {
    return this.put('Route', this.routes, name, spec, fields);
  }

  store(name: string, spec: JsonObject): this {
    return this.put('SecretStore', this.secretStores, name, spec, {});
  }

  auditService(name: string, spec: JsonObject = {}): this {
    return this.put('AuditService', this.auditServices, name, spec, {});
  }

  /** @param data null for a Secret without the label of consent; undefined for none */
  secret(key: string, data: Readonly<Record<string, string>> | null | undefined, type = 'Opaque'): this {
    const [namespace = '', name = ''] = key.split('/');
    const bytes = data && new Map(Object.entries(data).map(([one, text]) => [one, Buffer.from(text)]));
    const resourceVersion = String(++this.version);
    this.secrets.set(
      key,
      bytes === undefined ? null : { namespace, name, uid: `secret-${key}`, resourceVersion, type, data: bytes },
    );
    return this;
  }

  /** @param content null for a Service that is not there */
  service(key: string, content: Partial<ServiceContent> | null = {}): this {
    const ports = [{ name: 'http', port: 80, protocol: 'TCP' }];
    const resourceVersion = String(++this.version);
    const sound = { resourceVersion, externalName: null, ports, allowedNamespaces: [], servedPorts: ['http'] };
    const made =
      content === null ? null : { ...sound, crowdedPorts: [], isCut: false, hasHostNames: false, ...content };
    this.services = new Map(this.services).set(key, made);
    return this;
  }

  /** The status of a Route was written. */
  touch(key: string, fields: ResourceFields = {}): this {
    const resource = this.routes.get(key)!;
    this.routes.set(key, { ...resource, ...fields, resourceVersion: String(++this.version) });
    return this;
  }

  base(name: 'config' | 'admin' | 'trust', value: JsonValue | string | null): this {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    this[name] = value === null ? null : { path: `base/${name}.json`, content: Buffer.from(text) };
    return this;
  }

  get state(): InstanceState {
    return {
      config: this.config,
      admin: this.admin,
      strays: [],
      directories: new Map(),
      faults: new Map(),
      epoch: 0,
      baseSources: [{ uid: 'config-map', resourceVersion: '7' }],
      resources: {
        routes: this.routesNow(),
        secretStores: this.secretStores,
        auditServices: this.auditServices,
        secrets: this.secrets,
        ...(this.assumes === null && { services: this.services }),
        ...(this.assumes === 'all Services' && { services: 'assumed' }),
        trust: this.trust,
        seen: String(this.version),
      },
    };
  }

  /** The Routes as a cluster shows them: in another map after each change, which shares the rest with the one before. */
  private routesNow(): LayeredMap<Resource> {
    const gone = [...this.shownRoutes.keys()].filter((key) => !this.routes.has(key));
    this.shownRoutes = this.shownRoutes.with([...gone.map((key) => [key, null] as const), ...this.routes]);
    return this.shownRoutes;
  }

  compile(): Compilation {
    this.judged.length = 0;
    const compilation = this.compiler.compile(this.state, this.lastGood);
    this.lastGood = compilation.lastGood;
    return compilation;
  }

  /** Compiles and gives what is said of a resource. */
  verdict(key: string, kind: ResourceKind = 'Route'): ResourceVerdict {
    return verdictIn(this.compile(), key, kind);
  }

  private put(
    kind: ResourceKind,
    map: Map<string, Resource>,
    key: string,
    spec: JsonObject,
    fields: ResourceFields,
  ): this {
    const [namespace = '', name = ''] = key.split('/');
    const before = map.get(key);
    map.set(key, {
      kind,
      namespace,
      name,
      labels: {},
      uid: fields.uid ?? before?.uid ?? `${kind}-${key}`,
      resourceVersion: String(++this.version),
      generation: (before?.generation ?? 0) + 1,
      created: fields.created ?? before?.created ?? '2026-01-01T00:00:00Z',
      spec,
      lastGood: fields.lastGood ?? before?.lastGood ?? null,
    });
    return this;
  }

  /** A compiler that has judged nothing yet. */
  newCompiler(): Compiler {
    const reach = operatorReach(this.env, {}, '/instance');
    const tokens = { reach, files: new Map<string, string>(), instanceUrl: null, allowed: new Map<string, string>() };
    return new Compiler({ checker: counted(dataPlaneChecker(reach), this.judged), tokens, configDirectory: '/c' });
  }
}

/** What is said of a resource. */
export function verdictIn({ resources }: Compilation, key: string, kind: ResourceKind = 'Route'): ResourceVerdict {
  const found = resources?.verdicts.find(({ resource }) => resource.kind === kind && resourceKey(resource) === key);
  if (found === undefined) throw new Error(`nothing is said of ${kind} ${key}`);
  return found;
}

function counted(checker: Checker, judged: string[]): Checker {
  const withRouters = (judgement: Judgement): Judgement => ({
    ...judgement,
    routers: judgement.routers.map(
      (router): FoundRouter => ({
        ...router,
        route(document, name, means) {
          judged.push(name);
          return router.route(document, name, means);
        },
        store(declaration, means) {
          judged.push(String(declaration['name']));
          return router.store(declaration, means);
        },
        auditService(declaration, means) {
          judged.push(String(declaration['name']));
          return router.auditService(declaration, means);
        },
      }),
    ),
  });
  return { ...checker, base: (document, path) => withRouters(checker.base(document, path)) };
}
