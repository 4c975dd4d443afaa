import { type Duration, readDuration } from '../../../../../contract/duration.ts';
import { ValueProblem } from '../../../../../contract/problem.ts';
import { type LogLevel, ScriptFault } from '../../../script-language.ts';
import type { Machine } from '../../runtime/machine.ts';
import { type ArrayValue, GMap, type GSet } from '../../values/collections.ts';
import { LONG_MAX } from '../../values/conversions.ts';
import type { ClassSpec, JavaClass, LibraryFunction, Obj, Runtime, Steps, Value } from '../../values/java-class.ts';
import { chargeCharacters } from '../../values/meter.ts';
import { Throwable } from '../../values/throwable.ts';
import type { JsonNode } from './json-node.ts';
import { MessageValue, type PlainResponse, plainRequest, type SentRequest } from './messages.ts';
import { PromiseValue } from './promises.ts';

/** Services behind the objects of a script: those of the gateway, or doubles in tests. */
export interface ScriptHost {
  /** Sends a request with the handler of `http`. */
  send(request: SentRequest): Promise<PlainResponse>;
  /** Hands a request to the rest of the chain; absent where a script is the end of it. */
  next?(request: SentRequest): Promise<object>;
  /** The response of `next` as scripts see it; by default it is one already. */
  received?(response: object): PlainResponse;
  log(level: LogLevel, message: string): void;
  /** The script begins. */
  started?(machine: Machine): void;
  /** The script waits or is over; it held the thread for so many milliseconds. */
  paused?(machine: Machine, milliseconds: number): void;
  /** The script runs on after a request: others may have changed attributes and session. */
  resumed?(rt: Runtime): void;
  /** The script has its result. */
  finished?(rt: Runtime): void;
}

/** An object whose methods call the host. */
export class HostObject implements Obj {
  readonly javaClass: JavaClass;
  readonly host: ScriptHost;

  constructor(rt: Runtime, className: string, host: ScriptHost) {
    this.javaClass = rt.class(className);
    this.host = host;
  }
}

export function responseValue(rt: Runtime, response: PlainResponse): MessageValue {
  return new MessageValue(rt, 'Response', response);
}

/** Suspends the script until the response is there. */
function* exchanged(rt: Runtime, host: ScriptHost, request: MessageValue, way: 'next' | 'send'): Steps<PromiseValue> {
  const sent = plainRequest(request);
  const arriving = way === 'send' ? host.send(sent) : passedOn(rt, host, sent);
  if (arriving === undefined)
    return rt.fail('java.lang.UnsupportedOperationException', 'there is nothing behind this script');
  // The gateway takes any result of the promise: no script sees this one.
  const arrived = (yield arriving as unknown as Promise<Value>) as unknown as PlainResponse;
  const response = host.received?.(arrived) ?? arrived;
  if (response.entity instanceof Uint8Array) rt.budget.allocate(response.entity.length);
  host.resumed?.(rt);
  return new PromiseValue(rt, { kind: 'result', value: responseValue(rt, response) });
}

/** A request that cannot be passed on is an exception of the script. */
function passedOn(rt: Runtime, host: ScriptHost, sent: SentRequest): Promise<object> | undefined {
  try {
    return host.next?.(sent);
  } catch (error) {
    if (!(error instanceof ScriptFault)) throw error;
    return rt.fail('java.lang.IllegalStateException', error.message);
  }
}

/** Fills the `{}` of a message of SLF4J. */
export function logText(rt: Runtime, message: string | null, args: readonly Value[]): string {
  if (message === null) return 'null';
  chargeCharacters(message.length);
  let next = 0;
  return message.replaceAll(/\\?\{\}/g, (mark) => {
    if (mark.startsWith('\\')) return '{}';
    if (next >= args.length) return mark;
    return rt.javaText(args[next++]!);
  });
}

function loggerMethods(): Record<string, LibraryFunction> {
  const methods: Record<string, LibraryFunction> = { 'getName()': () => 'script' };
  for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
    const upper = level[0]!.toUpperCase() + level.slice(1);
    methods[`is${upper}Enabled()`] = () => true;
    methods[`${level}()`] = (rt: Runtime) =>
      rt.fail(
        'org.codehaus.groovy.runtime.metaclass.MethodSelectionException',
        `Could not find which method ${level}() to invoke: it has no message`,
      );
    methods[`${level}(String)`] = (rt: Runtime, self: HostObject, [message]: [string | null]) =>
      write(rt, self, message, []);
    const write = (rt: Runtime, self: HostObject, message: string | null, args: readonly Value[]): void => {
      rt.budget.spend(10);
      // SLF4J takes an exception at the end for the cause, whatever the message has marks for.
      const shown = args.at(-1) instanceof Throwable ? args.slice(0, -1) : args;
      self.host.log(level, logText(rt, message, shown));
    };
    methods[`${level}(String, Throwable)`] = (rt: Runtime, self: HostObject, [message]: [string | null]) =>
      write(rt, self, message, []);
    methods[`${level}(String, Object)`] = (rt: Runtime, self: HostObject, [message, value]: [string | null, Value]) =>
      write(rt, self, message, [value]);
    methods[`${level}(String, Object, Object)`] = (
      rt: Runtime,
      self: HostObject,
      [message, ...values]: [string | null, Value, Value],
    ) => write(rt, self, message, values);
    methods[`${level}(String, Object...)`] = (
      rt: Runtime,
      self: HostObject,
      [message, args]: [string | null, ArrayValue],
    ) => write(rt, self, message, args.items);
  }
  return methods;
}

/** A number of requests in a time. */
export class RateValue implements Obj {
  readonly javaClass: JavaClass;
  readonly requests: number;
  readonly duration: DurationValue;

  constructor(rt: Runtime, requests: number, duration: DurationValue) {
    this.javaClass = rt.class('org.forgerock.http.filter.throttling.ThrottlingRate');
    if (requests <= 0) rt.fail('java.lang.IllegalArgumentException', "The bucket's capacity has to be greater than 0.");
    if (duration.nanoseconds === null)
      rt.fail('java.lang.IllegalArgumentException', "The duration can't be unlimited.");
    this.requests = requests;
    this.duration = duration;
  }
}

/** A duration as OpenIG writes it. */
export class DurationValue implements Obj {
  readonly javaClass: JavaClass;
  readonly amount: bigint;
  readonly unit: string;
  /** Null when unlimited. */
  readonly nanoseconds: bigint | null;

  constructor(rt: Runtime, text: string) {
    this.javaClass = rt.class('org.forgerock.util.time.Duration');
    const duration = durationIn(rt, text);
    this.nanoseconds = duration.nanoseconds;
    this.amount = duration.unlimited ? LONG_MAX : duration.amount;
    this.unit = (duration.unit ?? 'days').toUpperCase();
  }

  text(): string {
    return `${this.amount} ${this.unit}`;
  }
}

function durationIn(rt: Runtime, text: string): Duration {
  if (text === '')
    rt.fail('java.lang.IllegalArgumentException', "Cannot parse empty duration, expecting '<value> <unit>' pattern");
  try {
    return readDuration(text);
  } catch (error) {
    if (error instanceof ValueProblem) {
      const isNumberless = error.message.startsWith('must have a number');
      return rt.fail(`java.lang.${isNumberless ? 'NumberFormatException' : 'IllegalArgumentException'}`, error.message);
    }
    throw error;
  }
}

/** Time at which an access token without an end expires. */
export const NEVER = LONG_MAX;

/** Result of an access token resolver. */
export class TokenInfo implements Obj {
  readonly javaClass: JavaClass;
  readonly info: JsonNode;
  readonly token: string;
  readonly scopes: GSet;
  readonly expiresAt: bigint;

  constructor(rt: Runtime, info: JsonNode, token: string, scopes: GSet, expiresAt: bigint) {
    this.javaClass = rt.class('org.forgerock.http.oauth2.AccessTokenInfo');
    this.info = info;
    this.token = token;
    this.scopes = scopes;
    this.expiresAt = expiresAt;
  }
}

export const gatewayClasses: readonly ClassSpec[] = [
  { name: 'org.slf4j.Logger', methods: loggerMethods() },
  {
    name: 'org.slf4j.LoggerFactory',
    statics: {
      'getLogger(String)': (rt) => (rt as Machine).variables.get('logger') ?? null,
      'getLogger(Class)': (rt) => (rt as Machine).variables.get('logger') ?? null,
    },
  },
  {
    name: 'org.forgerock.http.Client',
    methods: {
      'send(org.forgerock.http.protocol.Request)': (rt, self: HostObject, [request]: [MessageValue]) =>
        exchanged(rt, self.host, request, 'send'),
      'send(org.forgerock.services.context.Context, org.forgerock.http.protocol.Request)': (
        rt,
        self: HostObject,
        [, request]: [Value, MessageValue],
      ) => exchanged(rt, self.host, request, 'send'),
    },
  },
  {
    name: 'org.forgerock.http.NextHandler',
    interfaces: ['org.forgerock.http.Handler'],
    methods: {
      'handle(org.forgerock.services.context.Context, org.forgerock.http.protocol.Request)': (
        rt,
        self: HostObject,
        [, request]: [Value, MessageValue],
      ) => exchanged(rt, self.host, request, 'next'),
    },
  },
  {
    name: 'org.forgerock.http.filter.throttling.ThrottlingRate',
    constructors: {
      '(int, String)': (rt, _self: Value, [requests, duration]: [number, string]) =>
        new RateValue(rt, requests, new DurationValue(rt, duration)),
      '(int, org.forgerock.util.time.Duration)': (rt, _self: Value, [requests, duration]: [number, DurationValue]) =>
        new RateValue(rt, requests, duration),
    },
    methods: {
      'getNumberOfRequests()': (_rt, self: RateValue) => self.requests,
      'getDuration()': (_rt, self: RateValue) => self.duration,
    },
  },
  {
    name: 'org.forgerock.util.time.Duration',
    statics: { 'duration(String)': (rt, _self: Value, [text]: [string]) => new DurationValue(rt, text) },
    methods: {
      'getValue()': (_rt, self: DurationValue) => self.amount,
      'isUnlimited()': (_rt, self: DurationValue) => self.amount === LONG_MAX,
      'isZero()': (_rt, self: DurationValue) => self.amount === 0n,
    },
  },
  {
    name: 'org.forgerock.http.oauth2.AccessTokenInfo',
    constructors: {
      '(org.forgerock.json.JsonValue, String, Set, long)': (
        rt,
        _self: Value,
        [info, token, scopes, expiresAt]: [JsonNode, string, GSet, bigint],
      ) => new TokenInfo(rt, info, token, scopes, expiresAt),
    },
    constants: { NEVER_EXPIRES: NEVER },
    methods: {
      'getToken()': (_rt, self: TokenInfo) => self.token,
      'getScopes()': (rt, self: TokenInfo) => rt.call(self.scopes, 'asUnmodifiable', []),
      'getExpiresAt()': (_rt, self: TokenInfo) => self.expiresAt,
      'getInfo()': (_rt, self: TokenInfo) => (self.info.object instanceof GMap ? self.info.object : null),
      'getRawInfo()': (_rt, self: TokenInfo) => self.info,
      'asJsonValue()': (_rt, self: TokenInfo) => self.info,
    },
  },
  { name: 'org.forgerock.http.oauth2.AccessTokenException', superclass: 'java.lang.Exception' },
  { name: 'javax.script.ScriptException', superclass: 'java.lang.Exception' },
];

/** The exception of a wrong result of a script. */
export function wrongResult(rt: Runtime, wanted: string, value: Value): Throwable {
  return new Throwable(
    rt.class('javax.script.ScriptException'),
    `Expecting a result of type ${wanted}, got ${rt.classOf(value).name}`,
  );
}
