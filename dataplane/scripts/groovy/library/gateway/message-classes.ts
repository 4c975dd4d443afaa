import type { ArrayValue } from '../../values/collections.ts';
import { ByteArray, GMap } from '../../values/collections.ts';
import type { ClassSpec, LibraryFunction, Runtime, Steps, Value } from '../../values/java-class.ts';
import { Throwable } from '../../values/throwable.ts';
import { charsetOf, decodeBytes, encodeText } from '../encoding/charsets.ts';
import { UriValue } from '../encoding/uri-classes.ts';
import { ByteStream, TextReader } from '../system/stream-values.ts';
import { commaSeparated, readCookies } from './cookie-text.ts';
import { cookieMap } from './cookies.ts';
import { formText, newForm, queryText, readPairs } from './form.ts';
import { HeaderValue } from './header-values.ts';
import { addHeader, firstOf, putHeader } from './headers.ts';
import { BRANCHING_STREAM, copyMessage, type EntityValue, MessageValue } from './messages.ts';
import { MutableUri, mutableUri } from './mutable-uri.ts';
import { PromiseValue } from './promises.ts';
import { StatusValue } from './status.ts';

const PROTOCOL = 'org.forgerock.http.protocol.';

function isForm(message: MessageValue): boolean {
  return (
    firstOf(message.headers, 'Content-Type')?.toLowerCase().split(';')[0]?.trim() ===
    'application/x-www-form-urlencoded'
  );
}

function fromQuery(rt: Runtime, form: GMap, message: MessageValue): GMap {
  const query = message.uri?.parts.query ?? null;
  return query === null ? form : readPairs(rt, form, query);
}

function* fromEntity(rt: Runtime, form: GMap, message: MessageValue): Steps<GMap> {
  if (!isForm(message)) return form;
  yield* message.entity.arrive(rt);
  return readPairs(rt, form, message.entity.string());
}

function setQuery(rt: Runtime, message: MessageValue, query: string | null): void {
  const { uri } = message;
  if (uri !== null) rt.now(rt.call(uri, 'setRawQuery', [query]));
}

const formOfMessages: Readonly<Record<string, LibraryFunction>> = {
  'fromRequestQuery(org.forgerock.http.protocol.Request)': (rt, self: GMap, [request]: [MessageValue]) =>
    fromQuery(rt, self, request),
  'fromRequestEntity(org.forgerock.http.protocol.Request)': (rt, self: GMap, [request]: [MessageValue]) =>
    fromEntity(rt, self, request),
  'toRequestQuery(org.forgerock.http.protocol.Request)': (rt, self: GMap, [request]: [MessageValue]) =>
    setQuery(rt, request, queryText(rt, self)),
  'appendRequestQuery(org.forgerock.http.protocol.Request)': (rt, self: GMap, [request]: [MessageValue]) => {
    const parts = [request.uri?.parts.query ?? '', queryText(rt, self)].filter((part) => part !== '');
    setQuery(rt, request, parts.length === 0 ? null : parts.join('&'));
  },
  'toRequestEntity(org.forgerock.http.protocol.Request)': (rt, self: GMap, [request]: [MessageValue]) => {
    request.method = 'POST';
    setForm(rt, request.entity, self);
  },
};

function setForm(rt: Runtime, entity: EntityValue, form: GMap): void {
  putHeader(rt, entity.message.headers, 'Content-Type', 'application/x-www-form-urlencoded');
  entity.set(rt, formText(rt, form));
}

const done = (rt: Runtime, value: Value): PromiseValue => new PromiseValue(rt, { kind: 'result', value });

const entityMethods: Readonly<Record<string, LibraryFunction>> = {
  'getString()': (_rt, self: EntityValue) => self.string(),
  'setString(String)': (rt, self: EntityValue, [text]: [string | null]) =>
    text === null ? self.setBytes(rt, new Uint8Array()) : self.setBytes(rt, encodeText(self.charset, text)),
  'getJson()': (rt, self: EntityValue) => self.json(rt),
  'setJson(Object)': (rt, self: EntityValue, [value]: [Value]) => self.setJson(rt, value),
  'getBytes()': (rt, self: EntityValue) => {
    rt.budget.allocate(self.bytes.length);
    return new ByteArray(self.bytes.slice());
  },
  'setBytes(byte[])': (rt, self: EntityValue, [array]: [ByteArray | null]) =>
    self.setBytes(rt, array?.bytes.slice() ?? new Uint8Array()),
  'setForm(org.forgerock.http.protocol.Form)': (rt, self: EntityValue, [form]: [GMap]) => setForm(rt, self, form),
  'getForm()': (rt, self: EntityValue) => readPairs(rt, newForm(rt), self.string()),
  'getStringAsync()': (rt, self: EntityValue) => done(rt, self.string()),
  'getJsonAsync()': (rt, self: EntityValue) => done(rt, self.json(rt)),
  'getBytesAsync()': (rt, self: EntityValue) => done(rt, new ByteArray(self.bytes.slice())),
  'isRawContentEmpty()': (_rt, self: EntityValue) => self.bytes.length === 0,
  'isDecodedContentEmpty()': (_rt, self: EntityValue) => self.bytes.length === 0,
  'mayContainData()': (_rt, self: EntityValue) => self.bytes.length > 0,
  'setEmpty()': (_rt, self: EntityValue) => self.setRaw(new Uint8Array()),
  'close()': (_rt, self: EntityValue) => self.setRaw(new Uint8Array()),
  'push()': () => undefined,
  'pop()': () => undefined,
  'setRawContentInputStream(InputStream)': (_rt, self: EntityValue, [stream]: [ByteStream | null]) =>
    self.setRaw(stream?.rest() ?? new Uint8Array()),
  'getRawContentInputStream()': (rt, self: EntityValue) => self.stream(rt),
  'newDecodedContentInputStream()': (rt, self: EntityValue) => new ByteStream(rt, self.bytes.slice()),
  'newDecodedContentReader(java.nio.charset.Charset)': (rt, self: EntityValue, [charset]: [Value]) =>
    new TextReader(
      rt,
      'java.io.BufferedReader',
      charset === null ? self.string() : decodeBytes(charsetOf(rt, charset), self.bytes),
    ),
};

function returning(code: (rt: Runtime, self: MessageValue, value: never) => void): LibraryFunction {
  return (rt: Runtime, self: MessageValue, [value]: [never]) => {
    code(rt, self, value);
    return self;
  };
}

const messageMethods: Readonly<Record<string, LibraryFunction>> = {
  'getHeaders()': (_rt, self: MessageValue) => self.headers,
  'getEntity()': function* (rt, self: MessageValue) {
    yield* self.entity.arrive(rt);
    return self.entity;
  },
  'setEntity(Object)': returning((rt, self, value: Value) =>
    value instanceof GMap && value.javaClass.name === `${PROTOCOL}Form`
      ? setForm(rt, self.entity, value)
      : self.entity.set(rt, value),
  ),
  'getVersion()': (_rt, self: MessageValue) => self.version,
  'setVersion(String)': returning((_rt, self, version: string) => void (self.version = version)),
  'addHeaders(org.forgerock.http.protocol.Header...)': returning((rt, self, headers: ArrayValue) => {
    for (const header of headers.items)
      if (header instanceof HeaderValue) addHeader(rt, self.headers, header.name, header);
  }),
  'close()': (_rt, self: MessageValue) => self.entity.setRaw(new Uint8Array()),
};

function setUri(rt: Runtime, self: MessageValue, uri: Value): void {
  if (uri instanceof UriValue) self.uri = new MutableUri(rt, uri.parts);
  else if (uri instanceof MutableUri) self.uri = uri;
  else self.uri = uri === null ? null : mutableUri(rt, rt.text(uri));
}

function responseException(rt: Runtime, response: Value, message: string | null, cause: Value): Throwable {
  const exception = new Throwable(rt.class(`${PROTOCOL}ResponseException`), message, cause);
  exception.details.set('response', response);
  return exception;
}

function failure(rt: Runtime, code: number, cause: Value): MessageValue {
  const response = new MessageValue(rt, 'Response');
  response.status = new StatusValue(rt, code);
  response.cause = cause;
  return response;
}

export const messageClasses: readonly ClassSpec[] = [
  { name: `${PROTOCOL}Form`, methods: formOfMessages },
  {
    name: BRANCHING_STREAM,
    superclass: 'java.io.InputStream',
    constructors: {
      '(byte[])': (rt, _self: Value, [{ bytes }]: [ByteArray]) => new ByteStream(rt, bytes, BRANCHING_STREAM),
    },
  },
  {
    name: `${PROTOCOL}Entity`,
    interfaces: ['java.io.Closeable'],
    methods: entityMethods,
    constants: { APPLICATION_JSON_CHARSET_UTF_8: 'application/json; charset=UTF-8' },
  },
  { name: `${PROTOCOL}Message`, kind: 'interface', interfaces: ['java.io.Closeable'], methods: messageMethods },
  {
    name: `${PROTOCOL}Request`,
    interfaces: [`${PROTOCOL}Message`],
    constructors: {
      '()': (rt) => new MessageValue(rt, 'Request'),
      '(org.forgerock.http.protocol.Request)': (rt, _self: Value, [other]: [MessageValue]) =>
        copyMessage(rt, other, 'Request'),
    },
    methods: {
      'getMethod()': (_rt, self: MessageValue) => self.method,
      'setMethod(String)': returning((_rt, self, method: string) => void (self.method = method)),
      'getUri()': (_rt, self: MessageValue) => self.uri,
      'setUri(String)': returning(setUri),
      'setUri(URI)': returning(setUri),
      'getCookies()': (rt, self: MessageValue) => {
        const header = self.headers.get('Cookie');
        return cookieMap(rt, header instanceof HeaderValue ? readCookies(commaSeparated(header.values)) : []);
      },
      'getForm()': (rt, self: MessageValue) => fromEntity(rt, fromQuery(rt, newForm(rt), self), self),
      'getQueryParams()': (rt, self: MessageValue) => fromQuery(rt, newForm(rt), self),
    },
  },
  {
    name: `${PROTOCOL}Response`,
    interfaces: [`${PROTOCOL}Message`],
    constructors: {
      '()': (rt) => new MessageValue(rt, 'Response'),
      '(org.forgerock.http.protocol.Status)': (rt, _self: Value, [status]: [StatusValue]) => {
        const response = new MessageValue(rt, 'Response');
        response.status = status;
        return response;
      },
      '(org.forgerock.http.protocol.Response)': (rt, _self: Value, [other]: [MessageValue]) =>
        copyMessage(rt, other, 'Response'),
    },
    statics: {
      'newResponsePromise(org.forgerock.http.protocol.Response)': (rt, _self: Value, [response]: [Value]) =>
        done(rt, response),
    },
    methods: {
      'getStatus()': (_rt, self: MessageValue) => self.status,
      'setStatus(org.forgerock.http.protocol.Status)': returning(
        (_rt, self, status: StatusValue) => void (self.status = status),
      ),
      'getCause()': (_rt, self: MessageValue) => self.cause,
      'setCause(Exception)': returning((_rt, self, cause: Value) => void (self.cause = cause)),
    },
  },
  {
    name: `${PROTOCOL}ResponseException`,
    superclass: 'java.lang.Exception',
    constructors: {
      '(org.forgerock.http.protocol.Response)': (rt, _self: Value, [response]: [Value]) =>
        responseException(rt, response, null, null),
      '(org.forgerock.http.protocol.Response, String, Throwable)': (
        rt,
        _self: Value,
        [response, message, cause]: [Value, string | null, Value],
      ) => responseException(rt, response, message, cause),
      '(String)': (rt, _self: Value, [message]: [string | null]) => responseException(rt, null, message, null),
      '(String, Throwable)': (rt, _self: Value, [message, cause]: [string | null, Value]) =>
        responseException(rt, null, message, cause),
    },
    methods: { 'getResponse()': (_rt, self: Throwable) => self.details.get('response') ?? null },
  },
  {
    name: `${PROTOCOL}Responses`,
    statics: {
      'newInternalServerError()': (rt) => failure(rt, 500, null),
      'newInternalServerError(Exception)': (rt, _self: Value, [cause]: [Value]) => failure(rt, 500, cause),
      'newNotFound()': (rt) => failure(rt, 404, null),
    },
  },
  { name: 'com.fasterxml.jackson.core.JacksonException', superclass: 'java.io.IOException' },
  {
    name: 'com.fasterxml.jackson.core.JsonProcessingException',
    superclass: 'com.fasterxml.jackson.core.JacksonException',
  },
  {
    name: 'com.fasterxml.jackson.core.JsonParseException',
    superclass: 'com.fasterxml.jackson.core.JsonProcessingException',
  },
  {
    name: 'com.fasterxml.jackson.core.io.JsonEOFException',
    superclass: 'com.fasterxml.jackson.core.JsonParseException',
  },
  {
    name: 'com.fasterxml.jackson.databind.JsonMappingException',
    superclass: 'com.fasterxml.jackson.core.JsonProcessingException',
  },
  {
    name: 'com.fasterxml.jackson.databind.exc.MismatchedInputException',
    superclass: 'com.fasterxml.jackson.databind.JsonMappingException',
  },
];
