import type { JSX } from 'preact';
import type { TextForm } from '../../../../contract/shown/shown-catalogue.ts';

export interface ExpressionInputProps {
  readonly id: string;
  readonly 'aria-label': string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly value: string;
  readonly placeholder: string;
  readonly form: TextForm;
  readonly onText: (text: string) => void;
  readonly onBlur: () => void;
}

/** A text with expressions in it. */
export function ExpressionInput({ form, onText, ...attributes }: ExpressionInputProps): JSX.Element {
  return (
    <textarea
      {...attributes}
      class="code-field"
      rows={1}
      spellcheck={false}
      autocomplete="off"
      data-result={form.result}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
