import type { JsonObject } from '../../contract/document/json-value.ts';
import { pathText } from '../../contract/problem.ts';
import { errorText } from '../../platform/error-text.ts';
import { callHandler, OwnCallTimeout } from '../engine/backend/own-call.ts';
import type { Answer, Exchange, Next } from '../engine/message/exchange.ts';
import type { Request } from '../engine/message/request.ts';
import { Response } from '../engine/message/response.ts';
import type { AuditService } from '../heap/objects/audit-service.ts';
import { BudgetExceeded, type Excess } from './script-budget.ts';
import {
  type LogLevel,
  type OwnRequest,
  type OwnResponse,
  type RunningScript,
  type ScriptCall,
  ScriptFault,
  type Waiting,
} from './script-language.ts';
import { WaitLimit } from './wait-limit.ts';

/** Most milliseconds that a run waits, without the time that the rest of the chain takes. */
const MOST_WAITING = 30_000;

/** Most lines that one run logs. */
const MOST_LINES = 100;

/** Most requests of one run. */
const MOST_REQUESTS = 100;

/** The part of the gateway that one run of a script uses. */
export class ScriptExchange implements ScriptCall {
  readonly exchange: Exchange;
  readonly next: (() => Promise<Response>) | null;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly limit = new WaitLimit(MOST_WAITING, () => !this.exchange.over);
  onStart: (run: RunningScript) => void = () => {};
  onHeld: (milliseconds: number) => void = () => {};
  onExceeded: () => number | null = () => null;
  /** Milliseconds of the suspension that the run caused, or null; undefined as long as it has not exceeded a limit. */
  pause: number | null | undefined = undefined;
  readonly #client: Next;
  readonly #write: (level: LogLevel, message: string) => void;
  /** Responses of the chain; only one of them can be the answer. */
  readonly #responses: Response[] = [];
  #lines = 0;
  #requests = 0;
  /** The rest of the chain has the request: there is only one. */
  #isPassedOn = false;
  #wasPassedOn = false;
  #isSettled = false;
  /** Requests that the script waits for: a run that ended must not be kept for them. */
  #waits: Set<(error: BudgetExceeded) => void> | null = null;

  constructor(
    exchange: Exchange,
    next: Next | null,
    variables: ReadonlyMap<string, unknown>,
    client: Next,
    write: (level: LogLevel, message: string) => void,
  ) {
    this.exchange = exchange;
    this.next = next === null ? null : () => this.#pass(next);
    this.variables = variables;
    this.#client = client;
    this.#write = write;
  }

  started(run: RunningScript): void {
    this.onStart(run);
  }

  held(milliseconds: number): void {
    this.onHeld(milliseconds);
  }

  exceeded(limit: Excess): void {
    // A script that waits does not hold the thread.
    if (this.pause === undefined) this.pause = limit === 'timeout' ? null : this.onExceeded();
  }

  log(level: LogLevel, message: string): void {
    this.#lines++;
    if (this.#lines <= MOST_LINES) this.#write(level, message);
    if (this.#lines === MOST_LINES) this.#write('warn', 'further lines of this run are left out');
  }

  #pass(next: Next): Promise<Response> {
    this.#count();
    if (this.#isPassedOn) throw new ScriptFault('the request was passed on already, and has no response yet');
    if (this.#wasPassedOn && isSpent(this.exchange.request))
      throw new ScriptFault('the content of the request was sent already; read it before the first call of next');
    this.#isPassedOn = true;
    this.#wasPassedOn = true;
    this.limit.pause();
    const returned = (): void => {
      this.#isPassedOn = false;
      this.limit.resume();
    };
    let answer: Answer;
    try {
      answer = next(this.exchange);
    } catch (error) {
      returned();
      return Promise.reject(error);
    }
    const arrived = (response: Response): Response => {
      returned();
      if (this.#isSettled) response.abandon();
      else this.#responses.push(response);
      return response;
    };
    if (answer instanceof Response) return Promise.resolve(arrived(answer));
    return answer.then(arrived, (error: unknown) => {
      returned();
      throw error;
    }) as Promise<Response>;
  }

  /** Backends and clients have their own limits of time. */
  readonly untimed: Waiting = async (begin) => {
    this.limit.pause();
    try {
      return await begin();
    } finally {
      this.limit.resume();
    }
  };

  async send(request: OwnRequest, handler = this.#client): Promise<OwnResponse> {
    this.#count();
    let end: (error: BudgetExceeded) => void = () => {};
    const ended = new Promise<never>((_, reject) => {
      end = reject;
    });
    this.#waits ??= new Set();
    this.#waits.add(end);
    try {
      return await Promise.race([this.#answered(request, handler), ended]);
    } finally {
      this.#waits?.delete(end);
    }
  }

  async #answered({ method, uri, headers, content }: OwnRequest, handler: Next): Promise<OwnResponse> {
    try {
      const answer = await callHandler(
        handler,
        { method, uri, headers, ...(content.length === 0 ? {} : { content }) },
        { parent: this.exchange, timeout: MOST_WAITING },
      );
      // The content came without its codings.
      const lines = answer.fields.filter(([name]) => name !== 'content-encoding' && name !== 'content-length');
      const length = ['Content-Length', String(answer.content.length)] as const;
      return { status: answer.status, headers: [...lines, length], content: answer.content };
    } catch (error) {
      // Scripts know that a request always has a response.
      this.#write('debug', `the request of a script got no response: ${errorText(error)}`);
      return { status: error instanceof OwnCallTimeout ? 504 : 502, headers: [], content: new Uint8Array() };
    }
  }

  publish(service: AuditService, topic: string, event: JsonObject): string | null {
    this.#count();
    const problems = service.publish(topic, event, this.exchange);
    if (problems.length === 0) return null;
    return problems
      .map(({ path, message }) => (path.length === 0 ? message : `${pathText(path)}: ${message}`))
      .join('; ');
  }

  #count(): void {
    this.#requests++;
    if (this.#requests > MOST_REQUESTS)
      throw new ScriptFault(`a script sends at most ${MOST_REQUESTS} requests for one request`);
  }

  /** Ends what the script does not return. */
  settle(answer: unknown): void {
    this.#isSettled = true;
    for (const response of this.#responses.splice(0)) if (response !== answer) response.abandon();
    for (const end of this.#waits ?? []) end(new BudgetExceeded('timeout'));
  }
}

/** True if the content passed through the first time, and nobody has it any more. */
function isSpent({ touchedEntity, incomingBody }: Request): boolean {
  return touchedEntity === null ? incomingBody?.claimed === true : touchedEntity.spent;
}
