import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { EnumConstant, enumSpec } from '../numbers/big-classes.ts';

const phrases: Readonly<Record<string, readonly [number, string]>> = {
  CONTINUE: [100, 'Continue'],
  SWITCHING_PROTOCOLS: [101, 'Switching Protocols'],
  OK: [200, 'OK'],
  CREATED: [201, 'Created'],
  ACCEPTED: [202, 'Accepted'],
  NON_AUTHORITATIVE_INFO: [203, 'Non-Authoritative Information'],
  NO_CONTENT: [204, 'No Content'],
  RESET_CONTENT: [205, 'Reset Content'],
  PARTIAL_CONTENT: [206, 'Partial Content'],
  MULTIPLE_CHOICES: [300, 'Multiple Choices'],
  MOVED_PERMANENTLY: [301, 'Moved Permanently'],
  FOUND: [302, 'Found'],
  SEE_OTHER: [303, 'See Other'],
  NOT_MODIFIED: [304, 'Not Modified'],
  USE_PROXY: [305, 'Use Proxy'],
  TEMPORARY_REDIRECT: [307, 'Temporary Redirect'],
  BAD_REQUEST: [400, 'Bad Request'],
  UNAUTHORIZED: [401, 'Unauthorized'],
  PAYMENT_REQUIRED: [402, 'Payment Required'],
  FORBIDDEN: [403, 'Forbidden'],
  NOT_FOUND: [404, 'Not Found'],
  METHOD_NOT_ALLOWED: [405, 'Method Not Allowed'],
  NOT_ACCEPTABLE: [406, 'Not Acceptable'],
  PROXY_AUTHENTICATION_REQUIRED: [407, 'Proxy Authentication Required'],
  REQUEST_TIMEOUT: [408, 'Request Timeout'],
  CONFLICT: [409, 'Conflict'],
  GONE: [410, 'Gone'],
  LENGTH_REQUIRED: [411, 'Length Required'],
  PRECONDITION_FAILED: [412, 'Precondition Failed'],
  PAYLOAD_TOO_LARGE: [413, 'Payload Too Large'],
  URI_TOO_LONG: [414, 'URI Too Long'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Unsupported Media Type'],
  RANGE_NOT_SATISFIABLE: [416, 'Range Not Satisfiable'],
  EXPECTATION_FAILED: [417, 'Expectation Failed'],
  TEAPOT: [418, "I'm a teapot"],
  UPGRADE_REQUIRED: [426, 'Upgrade Required'],
  TOO_MANY_REQUESTS: [429, 'Too Many Requests'],
  INTERNAL_SERVER_ERROR: [500, 'Internal Server Error'],
  NOT_IMPLEMENTED: [501, 'Not Implemented'],
  BAD_GATEWAY: [502, 'Bad Gateway'],
  SERVICE_UNAVAILABLE: [503, 'Service Unavailable'],
  GATEWAY_TIMEOUT: [504, 'Gateway Timeout'],
  HTTP_VERSION_NOT_SUPPORTED: [505, 'HTTP Version Not Supported'],
};

const byCode: ReadonlyMap<number, string> = new Map(Object.values(phrases));
const families = ['INFORMATIONAL', 'SUCCESSFUL', 'REDIRECTION', 'CLIENT_ERROR', 'SERVER_ERROR', 'UNKNOWN'] as const;

/** Status of a response. */
export class StatusValue implements Obj {
  readonly javaClass: JavaClass;
  readonly code: number;
  readonly reason: string;

  constructor(rt: Runtime, code: number, reason = 'Unknown') {
    if (code < 100 || code >= 1000) rt.fail('java.lang.IllegalArgumentException', `Given code '${code}' is invalid`);
    this.javaClass = rt.class('org.forgerock.http.protocol.Status');
    this.code = code;
    this.reason = byCode.get(code) ?? reason;
  }

  text(): string {
    return `[Status: ${this.code} ${this.reason}]`;
  }

  equals(other: Value): boolean {
    return other instanceof StatusValue && other.code === this.code;
  }

  hash(): number {
    return this.code;
  }

  key(): string {
    return `\u0001status${this.code}`;
  }

  get family(): (typeof families)[number] {
    return families[Math.min(5, Math.floor(this.code / 100) - 1)]!;
  }
}

const sameOf = new WeakMap<Runtime, Map<number, StatusValue>>();

/** The one object of a known status; others are made each time. */
function statusOf(rt: Runtime, code: number, reason?: string): StatusValue {
  if (!byCode.has(code)) return new StatusValue(rt, code, reason);
  let known = sameOf.get(rt);
  if (known === undefined) sameOf.set(rt, (known = new Map()));
  let status = known.get(code);
  if (status === undefined) known.set(code, (status = new StatusValue(rt, code)));
  return status;
}

const inFamily =
  (family: string) =>
  (_rt: Runtime, self: StatusValue): boolean =>
    self.family === family;

export const statusClasses: readonly ClassSpec[] = [
  enumSpec('org.forgerock.http.protocol.Status$Family', families),
  {
    name: 'org.forgerock.http.protocol.Status',
    constants: Object.fromEntries(
      Object.entries(phrases).map(([name, [code]]) => [name, (rt: Runtime): Value => statusOf(rt, code)]),
    ),
    statics: {
      'valueOf(int)': (rt, _self: Value, [code]: [number]) => statusOf(rt, code),
      'valueOf(int, String)': (rt, _self: Value, [code, reason]: [number, string]) => statusOf(rt, code, reason),
    },
    methods: {
      'getCode()': (_rt, self: StatusValue) => self.code,
      'getReasonPhrase()': (_rt, self: StatusValue) => self.reason,
      'getFamily()': (rt, self: StatusValue) =>
        new EnumConstant(
          rt.class('org.forgerock.http.protocol.Status$Family'),
          self.family,
          families.indexOf(self.family),
        ),
      'isInformational()': inFamily('INFORMATIONAL'),
      'isSuccessful()': inFamily('SUCCESSFUL'),
      'isRedirection()': inFamily('REDIRECTION'),
      'isClientError()': inFamily('CLIENT_ERROR'),
      'isServerError()': inFamily('SERVER_ERROR'),
    },
  },
];
