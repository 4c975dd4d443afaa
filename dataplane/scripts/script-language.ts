import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Shapes } from '../../contract/expression/language.ts';
import type { Exchange, Next } from '../engine/message/exchange.ts';
import type { Response } from '../engine/message/response.ts';
import type { Uri } from '../engine/message/uri.ts';
import type { AccessToken } from '../heap/objects/access-tokens.ts';
import type { AuditService } from '../heap/objects/audit-service.ts';
import type { Rate } from '../heap/objects/throttling.ts';
import type { BudgetLimits, Excess } from './script-budget.ts';

/** Results of scripts, by the kind of object that runs them. */
export interface ScriptResults {
  filter: Response;
  handler: Response;
  throttlingPolicy: Rate;
  resourceAccess: ReadonlySet<string>;
  resourceUri: string;
  accessTokenResolver: AccessToken;
  /** Descriptions of what is wrong with the claims. */
  jwtValidator: readonly string[];
  /** The new value of a field that a patch transforms. */
  transformation: TransformedValue;
}

export interface TransformedValue {
  readonly json: JsonValue;
}

/** Kinds of objects that run a script. */
export type ScriptKind = keyof ScriptResults;

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Compiler of a language. */
export interface ScriptCompiler {
  /** Compiles a script. @throws ScriptMistake */
  compile(text: string): Program;
  /** Why an argument of a script cannot have this name, or null. */
  argumentProblem(kind: ScriptKind, name: string): string | null;
}

/** A language that scripts are written in. Its programs run in the thread of the unit. */
export interface ScriptLanguage extends ScriptCompiler {
  /** Values of `type`; the first one is the usual one. */
  readonly mediaTypes: readonly string[];
  /** Folder below `scripts` of the instance. */
  readonly folder: string;
}

/** A compiled script. */
export interface Program {
  /** Makes the script of one object, with `globals` of its own. */
  open(setting: ScriptSetting): LiveProgram;
  /** A variable of gateway scripts that the script reads and that objects of this kind do not give it, or null. */
  missing?(kind: ScriptKind, isGiven: (name: string) => boolean): ScriptMistake | null;
}

/** Parts of a script object that are the same for all its runs. */
export interface ScriptSetting {
  readonly kind: ScriptKind;
  /** Tenant that wrote the script; empty for operators. */
  readonly realm: string;
  /** Properties of objects of the gateway, such as contexts. */
  readonly shapes: Shapes;
  /** Properties of the configuration, as values of expressions; a name of ours wins. */
  readonly properties: ReadonlyMap<string, unknown>;
  /** Arguments, as values of expressions or HeapObjects. Their names are not those of ours. */
  readonly args: ReadonlyMap<string, unknown>;
  /** Environment and system properties, for scripts of operators. */
  readonly surroundings: Surroundings | null;
  readonly limits: BudgetLimits;
}

/** The script of one object, with everything that outlives its runs. */
export interface LiveProgram {
  /** Runs another text from now on, with the same `globals`. @throws ScriptMistake, and runs the last text on */
  replace(text: string): void;
  /** Runs the script. @throws BudgetExceeded, or a ScriptFault where a result or a message is not valid */
  run(call: ScriptCall): Promise<ScriptOutcome>;
  /** Clears `globals` and the like if they became too large. @returns the reason, or null */
  tidy(): string | null;
  /** The object is gone, and no run is under way. */
  close?(): void;
}

/** An object of the heap that an argument passes to a script. */
export class HeapObject {
  readonly used: HeapObjectUse;

  constructor(used: HeapObjectUse) {
    this.used = used;
  }
}

/** Kinds of objects that scripts can use. */
export type HeapObjectUse =
  | { readonly kind: 'handler'; readonly object: Next }
  | { readonly kind: 'clock'; readonly object: () => number }
  | { readonly kind: 'auditService'; readonly object: AuditService };

/** One run of a script. */
export interface ScriptCall {
  readonly exchange: Exchange;
  /** Passes the request of the exchange on, for filters; null elsewhere. */
  readonly next: (() => Promise<Response>) | null;
  /** Further variables, such as `token`. */
  readonly variables: ReadonlyMap<string, unknown>;
  /** Sends a request through `clientHandler` or another handler; an unanswered one has a response with 502 or 504. */
  send(request: OwnRequest, handler?: Next): Promise<OwnResponse>;
  /** Publishes an event of a custom topic. @returns what is wrong with it, or null */
  publish(service: AuditService, topic: string, event: JsonObject): string | null;
  /** Waits for something that has limits of its own, such as content of messages. */
  readonly untimed: Waiting;
  log(level: LogLevel, message: string): void;
  /** Called before anything of the script runs. @throws ScriptSuspended */
  started(run: RunningScript): void;
  /** Called with the milliseconds of a stretch that took long, before anything else runs. */
  held(milliseconds: number): void;
  /** Called when the run exceeds a limit, before anything else runs. */
  exceeded(limit: Excess): void;
}

/** A run that can be ended from outside. */
export interface RunningScript {
  /** Ends the run: it fails as soon as it runs on. */
  expire(limit: Excess): void;
  /** Bytes that the run has made, also those that it did not keep. */
  readonly made: number;
}

/** Value of a script, null included, or the text of its exception with the line it comes from. */
export type ScriptOutcome =
  | { readonly kind: 'value'; readonly value: ScriptResults[ScriptKind] | null }
  | { readonly kind: 'failed'; readonly reason: string; readonly line?: number };

/** A request that a script makes. Values of headers are as they are sent. */
export interface OwnRequest {
  readonly method: string;
  readonly uri: Uri;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Uint8Array;
}

/** Its response, with the content decoded. */
export interface OwnResponse {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly content: Uint8Array;
}

export type Waiting = <T>(begin: () => PromiseLike<T> | T) => Promise<T>;

/** The environment and system properties that scripts of operators read. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly properties: Readonly<Record<string, string | undefined>>;
}

/** A result or a message of a script that the gateway cannot use. */
export class ScriptFault extends Error {}

/** The script was suspended before its run began. */
export class ScriptSuspended extends Error {}

/** A script that cannot be compiled, with the place of the mistake; both numbers count from one. */
export class ScriptMistake extends Error {
  readonly line: number;
  readonly column: number;
  /** True if nothing is known of the script: it can be compiled later. */
  readonly isPassing: boolean;

  constructor(message: string, line: number, column: number, isPassing = false) {
    super(message);
    this.line = line;
    this.column = column;
    this.isPassing = isPassing;
  }
}
