import type { JsonObject } from '../../../../../contract/document/json-value.ts';
import { isJsonObject } from '../../../../../contract/document/json-value.ts';
import type { ClassSpec, JavaClass, Obj, Runtime, Value } from '../../values/java-class.ts';
import { Throwable } from '../../values/throwable.ts';
import { writeJson } from '../json/json-writer.ts';
import { jackson } from './jackson-writing.ts';
import type { JsonNode } from './json-node.ts';
import { PromiseValue } from './promises.ts';

const CREATE = 'org.forgerock.json.resource.CreateRequest';
const PATH = 'org.forgerock.json.resource.ResourcePath';

/** A clock of the heap. */
export class ClockValue implements Obj {
  readonly javaClass: JavaClass;
  readonly now: () => number;

  constructor(rt: Runtime, now: () => number) {
    this.javaClass = rt.class('java.time.Clock');
    this.now = now;
  }
}

/** An audit service of the heap: events are created as resources of their topic. */
export class AuditServiceValue implements Obj {
  readonly javaClass: JavaClass;
  /** @returns what is wrong with the event, or null */
  readonly publish: (topic: string, event: JsonObject) => string | null;

  constructor(rt: Runtime, publish: (topic: string, event: JsonObject) => string | null) {
    this.javaClass = rt.class('org.forgerock.json.resource.RequestHandler');
    this.publish = publish;
  }
}

/** The path of a collection, and the content of a new resource in it. */
class CreateRequestValue implements Obj {
  readonly javaClass: JavaClass;
  readonly path: string;
  readonly content: JsonNode;

  constructor(rt: Runtime, path: string, content: JsonNode) {
    this.javaClass = rt.class(CREATE);
    this.path = path;
    this.content = content;
  }
}

class PathValue implements Obj {
  readonly javaClass: JavaClass;
  readonly path: string;

  constructor(rt: Runtime, path: string) {
    this.javaClass = rt.class(PATH);
    this.path = path.replace(/^\/|\/$/g, '');
  }

  text(): string {
    return this.path;
  }
}

export const heapObjectClasses: readonly ClassSpec[] = [
  {
    name: 'java.time.Clock',
    methods: {
      'millis()': (_rt, self: ClockValue) => BigInt(Math.floor(self.now())),
      'instant()': (rt, self: ClockValue) =>
        rt.callStatic(rt.class('java.time.Instant'), 'ofEpochMilli', [BigInt(Math.floor(self.now()))]),
    },
  },
  {
    name: PATH,
    statics: {
      'resourcePath(String)': (rt, _self: Value, [path]: [string]) => new PathValue(rt, path),
      'valueOf(String)': (rt, _self: Value, [path]: [string]) => new PathValue(rt, path),
    },
  },
  {
    name: CREATE,
    methods: {
      'getContent()': (_rt, self: CreateRequestValue) => self.content,
      'getResourcePath()': (_rt, self: CreateRequestValue) => self.path,
    },
  },
  {
    name: 'org.forgerock.json.resource.Requests',
    statics: {
      'newCreateRequest(String, org.forgerock.json.JsonValue)': (
        rt,
        _self: Value,
        [path, content]: [string, JsonNode],
      ) => new CreateRequestValue(rt, new PathValue(rt, path).path, content),
      [`newCreateRequest(${PATH}, org.forgerock.json.JsonValue)`]: (
        rt,
        _self: Value,
        [path, content]: [PathValue, JsonNode],
      ) => new CreateRequestValue(rt, path.path, content),
    },
  },
  { name: 'org.forgerock.json.resource.ResourceException', superclass: 'java.lang.Exception' },
  {
    name: 'org.forgerock.json.resource.BadRequestException',
    superclass: 'org.forgerock.json.resource.ResourceException',
  },
  {
    name: 'org.forgerock.json.resource.RequestHandler',
    methods: {
      [`handleCreate(org.forgerock.services.context.Context, ${CREATE})`]: (
        rt,
        self: AuditServiceValue,
        [, request]: [Value, CreateRequestValue],
      ) => {
        const event: unknown = JSON.parse(writeJson(rt, request.content.object, jackson));
        const fault = isJsonObject(event as JsonObject)
          ? self.publish(request.path, event as JsonObject)
          : 'the event is not a JSON object';
        if (fault === null) return new PromiseValue(rt, { kind: 'result', value: request.content });
        const throwable = new Throwable(rt.class('org.forgerock.json.resource.BadRequestException'), fault);
        return new PromiseValue(rt, { kind: 'exception', value: throwable });
      },
    },
  },
];
