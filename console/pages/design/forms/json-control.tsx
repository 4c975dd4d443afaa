import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { AnyForm } from '../../../../contract/shown/shown-catalogue.ts';
import { type ControlProps, controlAttributes } from './control-props.ts';
import { useFormSetting } from './form-setting.ts';
import { pointerOf } from './pointer.ts';
import { TextControl } from './text-control.tsx';

/** Any value, as JSON; a text alone needs no quotes. A text that is no JSON is not written. */
export function JsonControl(props: ControlProps<AnyForm>): JSX.Element {
  const { form, value, path } = props;
  const { draft } = useFormSetting();
  const [typed, setTyped] = useState<string | null>(null);
  if (form.expression !== undefined && (value === undefined || typeof value === 'string'))
    return <TextControl {...props} form={{ kind: 'text', expression: form.expression, result: 'object' }} />;
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value, null, 2));
  const read = readJson(shown);
  const write = (text: string): void => {
    setTyped(text);
    const next = readJson(text);
    const group = `field ${pointerOf(path)}`;
    if (text.trim() === '') draft.remove(path, group);
    else if (next !== undefined) draft.set(path, next, group);
  };
  return (
    <>
      <textarea
        {...controlAttributes(props)}
        class="code-field"
        rows={Math.min(14, Math.max(2, shown.split('\n').length))}
        spellcheck={false}
        value={shown}
        onInput={(event) => write(event.currentTarget.value)}
        onBlur={() => read !== undefined && setTyped(null)}
      />
      {shown.trim() !== '' && read === undefined ? <p class="field-fault">is not JSON yet, and not written</p> : null}
    </>
  );
}

function readJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
