import { GMap } from '../../values/collections.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Value } from '../../values/java-class.ts';
import { fixedList } from '../collections/fixed-lists.ts';
import { fixedMap } from '../collections/fixed-maps.ts';
import { JsonNode } from './json-node.ts';

const SERVICES = 'org.forgerock.services.context.';
const ROUTING = 'org.forgerock.http.routing.';
const OPENAM = 'org.forgerock.openig.openam.';

/** Properties by name; those of the gateway are made when a script asks for them. */
export interface ContextFields {
  get(name: string): Value | undefined;
  has(name: string): boolean;
  /** Absent where scripts cannot set properties. */
  set?(name: string, value: Value): void;
}

/** A context, or a function that makes it when a script asks for it. */
export type ContextParent = ContextValue | null | (() => ContextValue | null);

/** One link in the chain of contexts of a request. */
export class ContextValue implements Obj {
  readonly javaClass: JavaClass;
  readonly name: string;
  readonly fields: ContextFields;
  readonly #rt: Runtime;
  #parent: ContextParent;

  constructor(rt: Runtime, className: string, name: string, parent: ContextParent, fields: ContextFields) {
    this.javaClass = rt.class(className);
    this.name = name;
    this.#parent = parent;
    this.fields = fields;
    this.#rt = rt;
  }

  text(): string {
    return new JsonNode(this.#rt, this.json()).text();
  }

  /** The facts that OpenIG shows of a context and those around it. */
  json(): GMap {
    this.#rt.budget.allocate(1024);
    const { name, fields, parent } = this;
    const map = new GMap();
    map.put('class', this.javaClass.name);
    if (name === 'root') map.put('id', fields.get('id') ?? null);
    map.put('name', name);
    for (const [shown, field] of SHOWN[name] ?? []) map.put(shown, shownValue(this.#rt, fields.get(field), field));
    map.put('parent', parent === null ? null : parent.json());
    return map;
  }

  get parent(): ContextValue | null {
    if (typeof this.#parent === 'function') this.#parent = this.#parent();
    return this.#parent;
  }
}

/** Facts that the text of a context has, with the properties that have them. */
const SHOWN: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  client: [
    ...['remoteUser', 'remoteAddress', 'remotePort', 'certificates', 'userAgent'].map((name) => [name, name] as const),
    ['isExternal', 'external'],
    ['isSecure', 'secure'],
    ['localAddress', 'localAddress'],
    ['localPort', 'localPort'],
  ],
  router: ['matchedUri', 'remainingUri', 'uriTemplateVariables', 'originalUri'].map((name) => [name, name] as const),
};

function shownValue(rt: Runtime, value: Value | undefined, field: string): Value {
  if (field === 'certificates') return '';
  const found = value ?? defaults[field]?.(rt) ?? '';
  return found instanceof GMap || typeof found !== 'object' ? found : rt.javaText(found);
}

/** Classes of contexts by the name of the context; any other name is a generic one. */
export const contextClasses: Readonly<Record<string, string>> = {
  root: `${SERVICES}RootContext`,
  session: 'org.forgerock.http.session.SessionContext',
  attributes: `${SERVICES}AttributesContext`,
  client: `${SERVICES}ClientContext`,
  router: `${ROUTING}UriRouterContext`,
  oauth2: 'org.forgerock.http.oauth2.OAuth2Context',
  transactionId: `${SERVICES}TransactionIdContext`,
  requestAudit: `${SERVICES}RequestAuditContext`,
  ssoToken: `${OPENAM}SsoTokenContext`,
  cdsso: `${OPENAM}CdSsoContext`,
  amSession: `${OPENAM}SessionInfoContext`,
  policyDecision: `${OPENAM}PolicyDecisionContext`,
  userProfile: `${OPENAM}UserProfileContext`,
  jwtValidation: 'org.forgerock.openig.filter.jwt.JwtValidationContext',
  jwtBuilder: 'org.forgerock.openig.filter.JwtBuilderContext',
};

/** Getters of contexts that filters set; scripts also read their properties by name. */
const SET_BY_FILTERS: Readonly<Record<string, readonly string[]>> = {
  ssoToken: ['value', 'info', 'cookieName', 'loginEndpoint', 'username', 'universalId', 'realm'],
  cdsso: ['token', 'claimsSet', 'universalId', 'redirectEndpoint', 'cookieInfo', 'sessionUid'],
  amSession: [
    ...['username', 'universalId', 'realm', 'latestAccessTime', 'maxIdleExpirationTime', 'maxSessionExpirationTime'],
    ...['properties', 'asJsonValue=asJsonValue'],
  ],
  policyDecision: ['attributes', 'advices', 'jsonAttributes', 'jsonAdvices', 'resource', 'actions', 'ttl'],
  userProfile: ['username', 'commonName', 'rawInfo', 'asJsonValue=asJsonValue'],
  jwtValidation: ['value', 'claims', 'info', 'jwt'],
  jwtBuilder: ['value', 'claims', 'claimsAsJsonValue'],
};

export const GENERIC_CONTEXT = `${SERVICES}GenericContext`;

function* upwards(context: ContextValue): Generator<ContextValue> {
  for (let at: ContextValue | null = context; at !== null; at = at.parent) yield at;
}

function named(rt: Runtime, self: ContextValue, name: string): ContextValue {
  for (const context of upwards(self)) if (context.name === name) return context;
  return rt.fail('java.lang.IllegalArgumentException', `No context of named ${name} found.`);
}

const typed = (rt: Runtime, self: ContextValue, type: JavaClass): ContextValue | null => {
  for (const context of upwards(self)) if (rt.isInstance(context, type)) return context;
  return null;
};

const contextMethods: Readonly<Record<string, LibraryFunction>> = {
  'asContext(Class)': (rt, self: ContextValue, [type]: [JavaClass]) =>
    typed(rt, self, type) ?? rt.fail('java.lang.IllegalArgumentException', `No context of type ${type.name} found.`),
  'containsContext(Class)': (rt, self: ContextValue, [type]: [JavaClass]) => typed(rt, self, type) !== null,
  'containsContext(String)': (_rt, self: ContextValue, [name]: [string]) =>
    [...upwards(self)].some((context) => context.name === name),
  'getContext(String)': (rt, self: ContextValue, [name]: [string]) => named(rt, self, name),
  'toJsonValue()': (rt, self: ContextValue) => new JsonNode(rt, self.json()),
  'getContextName()': (_rt, self: ContextValue) => self.name,
  'getParent()': (_rt, self: ContextValue) => self.parent,
  'isRootContext()': (_rt, self: ContextValue) => self.parent === null,
  'getId()': (_rt, self: ContextValue) => {
    const root = [...upwards(self)].at(-1)!;
    return root.fields.get('id') ?? null;
  },
};

/** Values of properties that nothing is known about. */
const defaults: Readonly<Record<string, (rt: Runtime) => Value>> = {
  localAddress: () => '',
  localPort: () => -1,
  remotePort: () => -1,
  secure: () => false,
  external: () => true,
  certificates: (rt) => fixedList(rt, [], 'EmptyList'),
};

/** A property of a context, or of the information in it: a token has the facts of its session. */
function propertyOf({ fields }: ContextValue, name: string): Value | undefined {
  if (fields.has(name)) return fields.get(name);
  const info = fields.get('info');
  return info instanceof GMap ? info.get(name) : undefined;
}

function getters(...names: readonly string[]): Record<string, LibraryFunction> {
  return Object.fromEntries(
    names.map((name) => {
      const [method = '', field = ''] = name.includes('=')
        ? name.split('=')
        : [`get${name[0]!.toUpperCase()}${name.slice(1)}`, name];
      const unset = defaults[field] ?? ((): Value => null);
      return [`${method}()`, (rt: Runtime, self: ContextValue) => propertyOf(self, field) ?? unset(rt)];
    }),
  );
}

const spec = (name: string, methods: Readonly<Record<string, LibraryFunction>>): ClassSpec => ({
  name,
  interfaces: [`${SERVICES}Context`],
  methods,
});

export const contextSpecs: readonly ClassSpec[] = [
  { name: `${SERVICES}Context`, kind: 'interface', methods: contextMethods },
  {
    ...spec(contextClasses['root']!, {}),
    constructors: { '()': (rt) => new ContextValue(rt, contextClasses['root']!, 'root', null, new Map()) },
  },
  spec(contextClasses['session']!, getters('session')),
  spec(contextClasses['attributes']!, getters('attributes')),
  spec(
    contextClasses['client']!,
    getters(
      'remoteAddress',
      'remotePort',
      'localAddress',
      'localPort',
      'localName',
      'remoteUser',
      'remoteHost',
      'userAgent',
      'certificates',
      'isSecure=secure',
      'isExternal=external',
    ),
  ),
  spec(contextClasses['router']!, {
    ...getters('originalUri', 'baseUri', 'matchedUri', 'remainingUri'),
    'getUriTemplateVariables()': (rt, self: ContextValue) => {
      const variables = self.fields.get('uriTemplateVariables');
      return fixedMap(rt, variables instanceof GMap ? variables : new GMap());
    },
  }),
  spec(contextClasses['oauth2']!, getters('accessToken')),
  spec(contextClasses['transactionId']!, getters('transactionId')),
  spec(contextClasses['requestAudit']!, {
    ...getters('userId', 'requestReceivedTime'),
    'setUserId(String)': (_rt, self: ContextValue, [user]: [Value]) => self.fields.set?.('userId', user),
  }),
  ...Object.entries(SET_BY_FILTERS).map(([name, properties]) => ({
    ...spec(contextClasses[name]!, getters(...properties)),
    property: (_rt: Runtime, self: ContextValue, property: string) => propertyOf(self, property),
  })),
  {
    name: GENERIC_CONTEXT,
    interfaces: [`${SERVICES}Context`],
    property: (_rt, self: ContextValue, name) => (self.fields.has(name) ? self.fields.get(name)! : undefined),
  },
];

/** Contexts by name; the innermost of a name is the visible one. */
export function contextsMap(leaf: ContextValue): GMap {
  const map = new GMap();
  for (const context of upwards(leaf)) if (!map.has(context.name)) map.put(context.name, context);
  return map;
}
