import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isJsonObject, type JsonValue } from '../../../../contract/document/json-value.ts';
import { listOf, objectOf } from '../../../../contract/document/lenient-parts.ts';
import type { ListForm, MapForm, ObjectForm } from '../../../../contract/shown/shown-catalogue.ts';
import type { ControlProps } from './control-props.ts';
import { faultOf } from './field-faults.ts';
import { FieldRows } from './field-rows.tsx';
import { useFormSetting } from './form-setting.ts';
import { JsonControl } from './json-control.tsx';
import { startingItem } from './starting-value.ts';

/** A list: its items with buttons to move and remove them. */
export function ListControl(props: ControlProps<ListForm>): JSX.Element {
  const { form, value, path, id, name } = props;
  const { draft, Control } = useFormSetting();
  if (value !== undefined && !Array.isArray(value)) return <JsonControl {...props} form={{ kind: 'any' }} />;
  const items = listOf(value);
  const remove = (at: number): void => {
    if (items.length === 1 && (form.least ?? 0) === 0) draft.remove(path);
    else draft.remove([...path, at]);
  };
  return (
    <fieldset class="items" aria-label={name}>
      {[...items.entries()].map(([at, item]) => (
        <div class="item" key={at}>
          <div class="item-value">
            <Control form={form.item} path={[...path, at]} value={item} id={`${id}-${at}`} name={`${name} ${at + 1}`} />
            <ItemFault form={form} item={item} />
          </div>
          <span class="item-tools">
            <ItemButton
              label={`Move ${name} ${at + 1} up`}
              sign="↑"
              isOff={at === 0}
              run={() => draft.move([...path, at], [...path, at - 1])}
            />
            <ItemButton
              label={`Move ${name} ${at + 1} down`}
              sign="↓"
              isOff={at === items.length - 1}
              run={() => draft.move([...path, at], [...path, at + 1])}
            />
            <ItemButton label={`Remove ${name} ${at + 1}`} sign="×" isOff={false} run={() => remove(at)} />
          </span>
        </div>
      ))}
      <button
        type="button"
        class="quiet"
        id={items.length === 0 ? id : undefined}
        onClick={() => draft.insert(path, items.length, startingItem(form.item))}
      >
        Add {items.length === 0 ? 'an item' : 'another'}
      </button>
    </fieldset>
  );
}

function ItemFault({ form, item }: { readonly form: ListForm; readonly item: JsonValue }): JSX.Element | null {
  const fault = faultOf(form.item, item);
  return fault === null ? null : <p class="field-fault">{fault}</p>;
}

interface ItemButtonProps {
  readonly label: string;
  readonly sign: string;
  readonly isOff: boolean;
  readonly run: () => void;
}

function ItemButton({ label, sign, isOff, run }: ItemButtonProps): JSX.Element {
  return (
    <button type="button" class="sign" aria-label={label} title={label} disabled={isOff} onClick={run}>
      {sign}
    </button>
  );
}

/** Entries by name. */
export function MapControl(props: ControlProps<MapForm>): JSX.Element {
  const { form, value, path, id, name } = props;
  const { draft, Control } = useFormSetting();
  const [added, setAdded] = useState('');
  if (value !== undefined && !isJsonObject(value)) return <JsonControl {...props} form={{ kind: 'any' }} />;
  const entries = Object.entries(objectOf(value));
  const rename = (from: string, to: string, at: number): void => {
    if (to === '' || to === from || entries.some(([key]) => key === to)) return;
    const [, held] = entries[at]!;
    draft.together(() => draft.remove([...path, from]) && draft.insert(path, at, held, to));
  };
  const add = (): void => {
    if (added === '' || entries.some(([key]) => key === added)) return;
    draft.insert(path, entries.length, startingItem(form.value), added);
    setAdded('');
  };
  return (
    <fieldset class="items" aria-label={name}>
      {entries.map(([key, held], at) => (
        <div class="item" key={key}>
          <div class="entry">
            <input
              type="text"
              class="entry-key"
              aria-label={`Name of entry ${at + 1} of ${name}`}
              value={key}
              spellcheck={false}
              onChange={(event) => rename(key, event.currentTarget.value.trim(), at)}
            />
            <Control form={form.value} path={[...path, key]} value={held} id={`${id}-${at}`} name={`${name} ${key}`} />
          </div>
          <span class="item-tools">
            <ItemButton label={`Remove ${key}`} sign="×" isOff={false} run={() => draft.remove([...path, key])} />
          </span>
        </div>
      ))}
      <span class="with-button">
        <input
          type="text"
          id={id}
          aria-label={`Name of a new entry of ${name}`}
          placeholder="Name of a new entry"
          value={added}
          spellcheck={false}
          onInput={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Enter' && add()}
        />
        <button type="button" class="quiet" disabled={added === ''} onClick={add}>
          Add
        </button>
      </span>
    </fieldset>
  );
}

/** An object with fields of its own. */
export function ObjectControl(props: ControlProps<ObjectForm>): JSX.Element {
  const { form, value, path, id, name } = props;
  const { draft } = useFormSetting();
  if (value === undefined)
    return (
      <button type="button" class="quiet" id={id} aria-label={`Add ${name}`} onClick={() => draft.set(path, {})}>
        Add
      </button>
    );
  if (!isJsonObject(value)) return <JsonControl {...props} form={{ kind: 'any' }} />;
  return (
    <fieldset class="inner-form" aria-label={name}>
      <FieldRows fields={form.fields} rules={form.rules ?? []} value={value} path={path} id={id} />
      <button type="button" class="quiet" onClick={() => draft.remove(path)}>
        Remove {name}
      </button>
    </fieldset>
  );
}
