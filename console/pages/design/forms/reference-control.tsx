import type { JSX } from 'preact';
import { isJsonObject } from '../../../../contract/document/json-value.ts';
import { textOf } from '../../../../contract/document/lenient-parts.ts';
import type { ReferenceForm } from '../../../../contract/shown/shown-catalogue.ts';
import { type ControlProps, controlAttributes } from './control-props.ts';
import { DeclarationForm } from './declaration-form.tsx';
import { useFormSetting } from './form-setting.ts';
import { newObject } from './starting-value.ts';

/** Kinds of objects that requests pass, which the canvas shows as steps. */
const STEPS = ['filter', 'handler'];

/** Another object: one of the heap, one that needs no declaration, or one that is declared in place. */
export function ReferenceControl(props: ControlProps<ReferenceForm>): JSX.Element {
  const { form, value, path, name } = props;
  const { draft, catalogue, heap, select, Control } = useFormSetting();
  if (Array.isArray(value) && form.several !== undefined)
    return <Control {...props} form={{ kind: 'list', item: { kind: 'reference', to: form.several } }} />;
  const types = catalogue.fitting(form.to);
  const isFitting = (type: string): boolean =>
    form.to === 'any' || catalogue.find(type) === null || types.some((one) => one === catalogue.find(type));
  const named = [...heap].filter(([, type]) => isFitting(type)).map(([one]) => one);
  const given = catalogue.givenFor(form.to).filter((one) => !heap.has(one));
  const declared = isJsonObject(value) ? textOf(value['type']) : null;
  const current = typeof value === 'string' ? `name:${value}` : declared === null ? '' : `type:${declared}`;
  const isElsewhere = typeof value === 'string' && !named.includes(value) && !given.includes(value);
  const isStep = STEPS.includes(form.to);
  const choose = (key: string): void => {
    if (key === current) return;
    if (key === '') draft.remove(path);
    else if (key === 'list') draft.set(path, value === undefined ? [] : [value]);
    else if (key.startsWith('name:')) draft.set(path, key.slice('name:'.length));
    else draft.set(path, newObject(catalogue.find(key.slice('type:'.length))!));
  };
  return (
    <div class="reference">
      <select {...controlAttributes(props)} value={current} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">–</option>
        {isElsewhere ? <option value={current}>{String(value)} (declared elsewhere)</option> : null}
        <Options label="Objects of this route" names={named} prefix="name:" />
        <Options label="Predefined objects" names={given} prefix="name:" />
        <Options label="Declare here" names={types.map(({ type }) => type)} prefix="type:" />
        {declared !== null && !types.some(({ type }) => type === declared) ? (
          <option value={current}>{declared === '' ? 'object without a type' : declared}</option>
        ) : null}
        {form.several === undefined ? null : <option value="list">Several, in their order…</option>}
      </select>
      {isJsonObject(value) && isStep ? (
        <button type="button" class="quiet" onClick={() => select(path)}>
          Edit {name}
        </button>
      ) : null}
      {isJsonObject(value) && !isStep ? (
        <fieldset class="inner-form" aria-label={name}>
          <DeclarationForm value={value} path={path} />
        </fieldset>
      ) : null}
    </div>
  );
}

function Options({
  label,
  names,
  prefix,
}: {
  readonly label: string;
  readonly names: readonly string[];
  readonly prefix: string;
}): JSX.Element | null {
  return names.length === 0 ? null : (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={`${prefix}${name}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}
