import type { RuntimeExpression } from '../../contract/vocabulary/runtime.ts';
import type { CheckedDecoration, CheckedObject, Scope } from '../heap/scope.ts';

/** A document that declares a heap and a handler: a route or `config.json`. */
export interface CheckedDocument {
  readonly scope: Scope;
  readonly handler: CheckedObject;
  /** What is put around the handler by top-level keys, the innermost first. */
  readonly decorations: readonly CheckedDecoration[];
  /** The manager of its sessions; null where sessions stay as they are around it. */
  readonly session: CheckedObject | null;
  /** The service that records its requests; null where the one around it does. */
  readonly audit: CheckedObject | null;
  /** Null where every request is taken. */
  readonly condition: RuntimeExpression<boolean> | null;
}

/** Readable parts of a document, valid or not. */
export type SeenDocument = Pick<CheckedDocument, 'scope' | 'decorations' | 'session' | 'audit'> & {
  readonly handler: CheckedObject | null;
};
