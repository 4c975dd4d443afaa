import type { AdminSettings } from '../../contract/admin-settings.ts';
import type { JsonObject, JsonValue } from '../../contract/document/json-value.ts';
import type { Path, Problem } from '../../contract/problem.ts';

/** Judges documents. It is handed in, so that the code that builds objects is the code that judges their documents. */
export interface Checker {
  /** The value of a configuration expression, to which these are names. @throws ValueProblem */
  evaluate(expression: string, constants: ReadonlyMap<string, JsonValue>): JsonValue;
  admin(document: JsonObject): AdminJudgement;
  base(document: JsonObject): Judgement;
}

/** What is to be said of `admin.json`. */
export interface AdminJudgement {
  /** Null when there are errors. */
  readonly settings: AdminSettings | null;
  readonly problems: readonly Problem[];
}

/** What is to be said of a document. */
export interface Judgement {
  /** Whether it can be built. */
  readonly sound: boolean;
  /** Whether it is known which requests it is about, which may be so for one that is not sound. */
  readonly conditionIsReadable: boolean;
  readonly problems: readonly Problem[];
  /** The routers it declares; of a document that is not sound, those that can be read. */
  readonly routers: readonly FoundRouter[];
}

/** A router that a document declares. */
export interface FoundRouter {
  /** With the names of the scopes around it, such as `gateway._router`. */
  readonly name: string;
  /** Where it is declared. */
  readonly path: Path;
  /** Null for the instance's own directory of routes. */
  readonly directory: string | null;
  /** How often its directory is looked at, in milliseconds; 0 for once. */
  readonly scanInterval: number;
  readonly hasDefaultHandler: boolean;
  /** Judges a document as a route of this router. */
  route(document: JsonObject, name: string): Judgement;
}
