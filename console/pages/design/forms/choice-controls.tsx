import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonValue } from '../../../../contract/document/json-value.ts';
import type { ChoiceForm, FlagForm, WordsForm } from '../../../../contract/shown/shown-catalogue.ts';
import { type ControlProps, controlAttributes, placeholderOf } from './control-props.ts';
import { fits } from './field-faults.ts';
import { useFormSetting } from './form-setting.ts';
import { startingValue } from './starting-value.ts';
import { TextControl } from './text-control.tsx';

const EXPRESSION = '\u0000expression';

/** One of a few values, or an expression that gives one. */
export function WordsControl(props: ControlProps<WordsForm | FlagForm>): JSX.Element {
  const { form, value, path } = props;
  const { draft } = useFormSetting();
  const [isExpression, setExpression] = useState(false);
  const words: readonly JsonValue[] = form.kind === 'flag' ? [true, false] : form.words;
  const place = words.findIndex((word) => isSameWord(word, value));
  const isOther = value !== undefined && place < 0;
  if (isExpression || (isOther && typeof value === 'string' && form.expression !== undefined))
    return (
      <span class="with-button">
        <TextControl {...props} form={{ kind: 'text', expression: form.expression ?? 'configuration' }} />
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setExpression(false);
            draft.remove(path);
          }}
        >
          Choose a value
        </button>
      </span>
    );
  const chosen = (key: string): void => {
    if (key === EXPRESSION) setExpression(true);
    else if (key === '') draft.remove(path);
    else if (words[Number(key)] !== undefined) draft.set(path, words[Number(key)]!);
  };
  return (
    <select
      {...controlAttributes(props)}
      value={isOther ? 'other' : place < 0 ? '' : String(place)}
      onChange={(event) => chosen(event.currentTarget.value)}
    >
      <option value="">{props.default === undefined ? '–' : `${placeholderOf(props.default)} (default)`}</option>
      {words.map((word, at) => (
        <option key={String(word)} value={String(at)}>
          {String(word)}
        </option>
      ))}
      {isOther ? <option value="other">{JSON.stringify(value)}</option> : null}
      {form.expression === undefined ? null : <option value={EXPRESSION}>Expression…</option>}
    </select>
  );
}

/** Words are read in any case. */
function isSameWord(word: JsonValue, value: JsonValue | undefined): boolean {
  if (word === value) return true;
  return typeof value === 'string' && String(word).toLowerCase() === value.toLowerCase();
}

/** A value that has one of several forms. */
export function ChoiceControl(props: ControlProps<ChoiceForm>): JSX.Element {
  const { form, value, path, id, name } = props;
  const { draft, Control } = useFormSetting();
  const fitting = value === undefined ? -1 : form.options.findIndex((option) => fits(option.form, value));
  const [chosen, setChosen] = useState(0);
  const at = fitting < 0 ? chosen : fits(form.options[chosen]!.form, value!) ? chosen : fitting;
  const option = form.options[at]!;
  const choose = (next: number): void => {
    setChosen(next);
    if (value === undefined || fits(form.options[next]!.form, value)) return;
    const start = startingValue(form.options[next]!.form);
    if (start === undefined) draft.remove(path);
    else draft.set(path, start);
  };
  return (
    <div class="choice">
      <select
        aria-label={`Form of ${name}`}
        class="choice-form"
        value={String(at)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {form.options.map(({ label }, place) => (
          <option key={label} value={String(place)}>
            {shortLabel(label)}
          </option>
        ))}
      </select>
      <Control {...props} form={option.form} id={id} />
    </div>
  );
}

/** `array of configuration expression<url>` is a list of URLs to people. */
function shortLabel(label: string): string {
  const words = label.replace(
    /(?:configuration|runtime) expression(?:<(.*?)>)?/g,
    (_, inner?: string) => inner ?? 'text',
  );
  return words
    .replace(/^array of/, 'list of')
    .replace(/string/g, 'text')
    .replace('enumeration', 'one word');
}
