import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';
import type { ShownForm } from '../../../../contract/shown/shown-catalogue.ts';

/** What every control of a form gets. */
export interface ControlProps<Form extends ShownForm = ShownForm> {
  readonly form: Form;
  /** Where the value is in the document. */
  readonly path: Path;
  /** Undefined if there is none. */
  readonly value: JsonValue | undefined;
  /** Id of the element that labels point to. */
  readonly id: string;
  /** Name for readers of screens where no label is beside it. */
  readonly name: string;
  /** Ids of the texts that describe it. */
  readonly describedBy?: string;
  readonly isInvalid?: boolean;
  /** Shown where nothing is given. */
  readonly default?: JsonValue;
}

/** Attributes that connect a control to its texts. */
export function controlAttributes({ id, name, describedBy, isInvalid }: ControlProps): {
  readonly id: string;
  readonly 'aria-label': string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
} {
  return {
    id,
    'aria-label': name,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid === true ? true : undefined,
  };
}

/** Returns a default in the words of a placeholder. */
export function placeholderOf(standard: JsonValue | undefined): string {
  if (standard === undefined) return '';
  return typeof standard === 'string' ? standard : JSON.stringify(standard);
}
