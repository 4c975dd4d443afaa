import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { listOf } from '../../../../contract/document/lenient-parts.ts';
import type { NumberForm, TextForm } from '../../../../contract/shown/shown-catalogue.ts';
import { usePoll } from '../../../client/use-poll.ts';
import { secretStores } from '../../../client/watched.ts';
import { ExpressionInput } from '../expressions/expression-input.tsx';
import { type ControlProps, controlAttributes, placeholderOf } from './control-props.ts';
import { useFormSetting } from './form-setting.ts';
import { pointerOf } from './pointer.ts';
import { textFor, valueFor } from './written-value.ts';

/** A field for a text, an expression or a number. A field without a text is removed from the document. */
export function TextControl(props: ControlProps<TextForm | NumberForm>): JSX.Element {
  const { form, value, path } = props;
  const { draft } = useFormSetting();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? textFor(value);
  const write = (text: string): void => {
    setTyped(text);
    const next = valueFor(form, text, value);
    const group = `field ${pointerOf(path)}`;
    if (next === undefined) draft.remove(path, group);
    else draft.set(path, next, group);
  };
  const common = {
    ...controlAttributes(props),
    value: shown,
    placeholder: placeholderOf(props.default),
    onBlur: () => setTyped(null),
  };
  if (form.kind === 'text' && form.means === 'script')
    return (
      <textarea
        {...common}
        class="code-field"
        rows={Math.min(16, Math.max(4, shown.split('\n').length))}
        spellcheck={false}
        onInput={(event) => write(event.currentTarget.value)}
      />
    );
  if (form.kind === 'text' && form.expression === 'runtime')
    return <ExpressionInput {...common} form={form} onText={write} />;
  if (form.kind === 'text' && form.means === 'secret') return <SecretInput attributes={common} write={write} />;
  return (
    <input
      {...common}
      type="text"
      class={form.kind === 'number' ? 'number-field' : undefined}
      inputMode={form.kind === 'number' ? 'decimal' : undefined}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => write(event.currentTarget.value)}
    />
  );
}

/** Ids of secrets that stores of this gateway have are offered; another one can be written. */
function SecretInput({
  attributes,
  write,
}: {
  readonly attributes: ReturnType<typeof controlAttributes> & { readonly value: string; readonly placeholder: string };
  readonly write: (text: string) => void;
}): JSX.Element {
  const { value: stores } = usePoll(secretStores);
  const ids = [...new Set((stores ?? []).flatMap((store) => listOf(store['secretIds']).map(String)))].sort();
  const list = `${attributes.id}-ids`;
  return (
    <>
      <input
        {...attributes}
        type="text"
        list={list}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => write(event.currentTarget.value)}
      />
      <datalist id={list}>
        {ids.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
    </>
  );
}
