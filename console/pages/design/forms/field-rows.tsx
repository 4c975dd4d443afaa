import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';
import type { ShownField } from '../../../../contract/shown/shown-catalogue.ts';
import { counted } from '../../../parts/figures.ts';
import { placeholderOf } from './control-props.ts';
import { faultOf } from './field-faults.ts';
import { useFormSetting } from './form-setting.ts';
import { isSamePath, isWithin } from './pointer.ts';
import { Prose } from './prose.tsx';

export interface FieldRowsProps {
  readonly fields: readonly ShownField[];
  /** Rules about several fields. */
  readonly rules: readonly string[];
  readonly value: JsonObject;
  /** Where the object is in the document. */
  readonly path: Path;
  /** Prefix of the ids of controls. */
  readonly id: string;
  /** Names of fields that are shown elsewhere. */
  readonly hidden?: readonly string[];
}

/** All fields of an object: those that are usual or given, then the others folded, then names that the type does not have. */
export function FieldRows({ fields, rules, value, path, id, hidden = [] }: FieldRowsProps): JSX.Element {
  const shown = fields.filter(({ name }) => !hidden.includes(name));
  const isGiven = ({ name }: ShownField): boolean => Object.hasOwn(value, name);
  const usable = shown.filter((field) => isGiven(field) || !isRelic(field));
  const main = usable.filter((field) => isGiven(field) || field.isAdvanced !== true);
  const more = usable.filter((field) => !main.includes(field));
  const row = (field: ShownField): JSX.Element => (
    <FieldRow key={field.name} field={field} value={value[field.name]} path={[...path, field.name]} id={id} />
  );
  return (
    <div class="fields">
      {main.map(row)}
      {rules.map((rule) => (
        <p key={rule} class="field-rule">
          {rule}
        </p>
      ))}
      {more.length === 0 ? null : <MoreFields fields={more} row={row} />}
      <UnknownFields fields={fields} value={value} path={path} hidden={hidden} />
    </div>
  );
}

/** Fields that one should not write any more are shown only where somebody wrote them. */
function isRelic({ form, instead, noEffect }: ShownField): boolean {
  return form.kind === 'refused' || instead !== undefined || noEffect !== undefined;
}

function MoreFields({
  fields,
  row,
}: {
  readonly fields: readonly ShownField[];
  readonly row: (field: ShownField) => JSX.Element;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more-fields" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{counted(fields.length, 'more field')}</summary>
      {isOpen ? <div class="fields">{fields.map(row)}</div> : null}
    </details>
  );
}

interface FieldRowProps {
  readonly field: ShownField;
  readonly value: JsonValue | undefined;
  readonly path: Path;
  readonly id: string;
}

/** One field: its name, its control, what it does, and what is wrong with it. */
function FieldRow({ field, value, path, id: prefix }: FieldRowProps): JSX.Element {
  const { name, description, form, isRequired = false, noEffect, instead } = field;
  const { Control } = useFormSetting();
  const id = `${prefix}-${name}`;
  const faults = useFieldFaults(field, value, path);
  const isLarge = form.kind === 'object' || form.kind === 'list' || form.kind === 'map';
  return (
    <div class={isLarge ? 'field is-large' : 'field'}>
      <div class="field-head">
        <label for={id} class="field-name">
          {name}
        </label>
        {isRequired ? <span class="field-mark">required</span> : null}
        {noEffect !== undefined ? <span class="field-mark">no effect</span> : null}
        {instead !== undefined ? <span class="field-mark">deprecated: use {instead}</span> : null}
        {placeholderOf(field.default) === '' ? null : (
          <span class="field-default">
            default <code>{placeholderOf(field.default)}</code>
          </span>
        )}
      </div>
      <Control
        form={form}
        path={path}
        value={value}
        id={id}
        name={name}
        describedBy={`${id}-about ${id}-faults`}
        isInvalid={faults.some(({ severity }) => severity === 'error')}
        {...(field.default !== undefined && { default: field.default })}
      />
      <div id={`${id}-faults`} class="field-faults" aria-live="polite">
        {faults.map(({ message, severity }) => (
          <p key={message} class={severity === 'error' ? 'field-fault' : 'field-warning'}>
            {message}
          </p>
        ))}
      </div>
      <p id={`${id}-about`} class="field-about">
        <Prose text={description} />
      </p>
    </div>
  );
}

interface FieldFault {
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/** The gateway knows best; its answer comes a moment later than what the form finds by itself. */
function useFieldFaults(field: ShownField, value: JsonValue | undefined, path: Path): readonly FieldFault[] {
  const { problems } = useFormSetting();
  const isWhole = field.form.kind === 'text' || field.form.kind === 'number' || field.form.kind === 'any';
  const found = problems
    .filter((problem) => (isWhole ? isWithin(problem.path, path) : isSamePath(problem.path, path)))
    .map(({ severity, message, hint }) => ({
      severity,
      message: hint === undefined ? message : `${message}: ${hint}`,
    }));
  if (found.length > 0) return found;
  if (value === undefined) return field.isRequired ? [{ severity: 'error', message: 'is required' }] : [];
  const fault = faultOf(field.form, value);
  return fault === null ? [] : [{ severity: 'error', message: fault }];
}

/** Names that the type does not have. They stay in the document until somebody removes them. */
function UnknownFields({
  fields,
  value,
  path,
  hidden,
}: {
  readonly fields: readonly ShownField[];
  readonly value: JsonObject;
  readonly path: Path;
  readonly hidden: readonly string[];
}): JSX.Element | null {
  const { draft } = useFormSetting();
  const names = new Set([...fields.map(({ name }) => name), ...hidden]);
  const others = Object.entries(value).filter(([name]) => !names.has(name));
  if (others.length === 0) return null;
  return (
    <div class="unknown-fields">
      <p class="unknown-title">Not fields of this type; they stay as they are</p>
      <ul>
        {others.map(([name, held]) => (
          <li key={name}>
            <code>{name}</code>
            <code class="cut faint">{JSON.stringify(held)}</code>
            <button
              type="button"
              class="sign"
              aria-label={`Remove ${name}`}
              onClick={() => draft.remove([...path, name])}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
