import { headerBytes, headerText } from '../../../engine/head/header-text.ts';
import { statusText } from '../../../engine/head/status-text.ts';
import type { Next } from '../../../engine/message/exchange.ts';
import { Response } from '../../../engine/message/response.ts';
import type { BudgetLimits } from '../../script-budget.ts';
import type {
  HeapObjectUse,
  LogLevel,
  ScriptCall,
  ScriptKind,
  ScriptSetting,
  Surroundings,
} from '../../script-language.ts';
import { checkOwnMethod, valid, writtenUri } from '../../script-messages.ts';
import type { GatewayRun, LateContexts, LateVariables, Variables } from '../gateway-script.ts';
import { HostObject, type ScriptHost } from '../library/gateway/gateway-objects.ts';
import { AuditServiceValue, ClockValue } from '../library/gateway/heap-objects.ts';
import type { PlainRequest, PlainResponse, SentRequest } from '../library/gateway/messages.ts';
import type { Machine } from '../runtime/machine.ts';
import type { ScriptTexts } from '../runtime/shell/script-texts.ts';
import type { GMap } from '../values/collections.ts';
import type { Value } from '../values/java-class.ts';
import { applyRequest, scriptRequest, scriptResponse } from './exchange-messages.ts';
import { JwtValidation } from './jwt-validation.ts';
import { scriptContexts } from './script-contexts.ts';
import { ScriptState } from './script-state.ts';
import { scriptValue } from './script-values.ts';

/** Variables that all runs of a script share. */
interface SharedVariables {
  readonly globals: GMap;
  readonly texts: ScriptTexts;
  readonly properties: Variables;
  readonly args: LateVariables;
  /** Arguments that are objects of the heap. */
  readonly heap: ReadonlyMap<string, HeapObjectUse>;
}

/** One run of a script, and the part of the gateway that it uses. Nothing is made before the script asks for it. */
export class GroovyRun implements GatewayRun, ScriptHost {
  readonly globals: GMap;
  readonly texts: ScriptTexts;
  readonly properties: Variables;
  readonly args: Variables;
  readonly #call: ScriptCall;
  readonly #setting: ScriptSetting;
  readonly #state: ScriptState;
  #validation: JwtValidation | null = null;
  #machine: Machine | null = null;

  constructor(call: ScriptCall, setting: ScriptSetting, shared: SharedVariables) {
    this.globals = shared.globals;
    this.texts = shared.texts;
    this.properties = shared.properties;
    const { args, heap } = shared;
    this.args =
      heap.size === 0
        ? args
        : {
            names: args.names,
            make: (rt, name) => (heap.has(name) ? this.heapValue(rt, heap.get(name)!) : args.make(rt, name)),
          };
    this.#call = call;
    this.#setting = setting;
    this.#state = new ScriptState(call.exchange, setting.shapes, setting.realm);
  }

  get validation(): JwtValidation {
    this.#validation ??= new JwtValidation();
    return this.#validation;
  }

  get host(): ScriptHost {
    return this;
  }

  get kind(): ScriptKind {
    return this.#setting.kind;
  }

  get limits(): BudgetLimits {
    return this.#setting.limits;
  }

  get surroundings(): Surroundings | undefined {
    return this.#setting.surroundings ?? undefined;
  }

  get request(): PlainRequest | undefined {
    if (this.kind === 'accessTokenResolver') return undefined;
    return scriptRequest(this.#call.exchange, this.#call.untimed);
  }

  get contexts(): LateContexts {
    return scriptContexts(this.#call.exchange, this.#state, this.#setting.shapes);
  }

  get attributes(): GMap {
    return this.#state.attributes(this.#machine!);
  }

  get session(): GMap {
    return this.#state.session(this.#machine!);
  }

  get extra(): LateVariables | undefined {
    if (this.kind === 'jwtValidator') return this.validation.variables(this.#call, this.#setting.shapes);
    if (this.kind !== 'transformation') return undefined;
    const value = this.#call.variables.get('value');
    return { names: ['value'], make: (rt) => scriptValue(rt, value, this.#setting.shapes) };
  }

  get token(): string | undefined {
    const token = this.#call.variables.get('token');
    return typeof token === 'string' ? token : undefined;
  }

  readonly print = (text: string): void => this.#call.log('info', text);

  started(machine: Machine): void {
    this.#machine = machine;
    this.#call.started(machine.budget);
  }

  paused({ budget }: Machine, milliseconds: number): void {
    this.#call.held(milliseconds);
    if (budget.exceeded !== null) this.#call.exceeded(budget.exceeded);
  }

  resumed(): void {
    this.#state.load(this.#machine!);
  }

  finished(): void {
    this.#state.store(this.#machine!);
  }

  log(level: LogLevel, message: string): void {
    this.#call.log(level, message);
  }

  /** An object of the heap as a script sees it. */
  heapValue(rt: Machine, used: HeapObjectUse): Value {
    switch (used.kind) {
      case 'handler': {
        const host: ScriptHost = {
          send: (sent) => this.send(sent),
          next: (sent) => this.send(sent, used.object),
          log: (level, message) => this.log(level, message),
          resumed: () => this.resumed(),
        };
        return new HostObject(rt, 'org.forgerock.http.NextHandler', host);
      }
      case 'clock':
        return new ClockValue(rt, used.object);
      case 'auditService':
        return new AuditServiceValue(rt, (topic, event) => this.#call.publish(used.object, topic, event));
    }
  }

  next(sent: SentRequest): Promise<object> {
    applyRequest(this.#call.exchange, sent);
    this.#state.store(this.#machine!);
    return this.#call.next!();
  }

  received(response: object): PlainResponse {
    return response instanceof Response ? scriptResponse(response, this.#call.untimed) : (response as PlainResponse);
  }

  async send({ method: asked, uri, headers, entity }: SentRequest, handler?: Next): Promise<PlainResponse> {
    const method = asked ?? 'GET';
    checkOwnMethod(method);
    const fields = Object.fromEntries(
      headers
        .filter(([name]) => name.toLowerCase() !== 'content-length')
        .map(([name, values]) => [name, headerBytes(values.join(', '))]),
    );
    const place = valid(() => writtenUri(uri));
    const request = { method, uri: place, headers: fields, content: entity };
    const { status, ...received } = await this.#call.send(request, handler);
    return {
      status,
      reason: statusText(status),
      headers: received.headers.map(([name, value]): [string, string[]] => [name, [headerText(value)]]),
      entity: received.content,
    };
  }
}
