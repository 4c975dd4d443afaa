import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { TextForm } from '../../../../contract/shown/shown-catalogue.ts';
import { useFormSetting } from '../forms/form-setting.ts';
import { Prose } from '../forms/prose.tsx';
import { type Completion, completionsAt, helpAt } from './completions.ts';
import { Evaluation } from './evaluation.tsx';

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

const NONE = -1;

/** A text with expressions in it: names are completed and described, and the value for a sample request is shown. */
export function ExpressionInput({ form, onText, onBlur, ...attributes }: ExpressionInputProps): JSX.Element {
  const { catalogue } = useFormSetting();
  const { language } = catalogue.shown;
  const { id, value } = attributes;
  const input = useRef<HTMLTextAreaElement>(null);
  const [isActive, setActive] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [caret, setCaret] = useState(0);
  const [chosen, setChosen] = useState(NONE);
  const { from, found } = isActive && isOpen ? completionsAt(value, caret, language) : { from: 0, found: [] };
  const at = Math.min(chosen, found.length - 1);
  const help = isActive ? (found[at] ?? helpAt(value, caret, language)) : null;
  const follow = (): void => setCaret(input.current?.selectionStart ?? 0);

  const typed = (element: HTMLTextAreaElement): void => {
    setCaret(element.selectionStart);
    setOpen(true);
    setChosen(NONE);
    onText(element.value);
  };
  const accept = ({ text }: Completion): void => {
    const element = input.current!;
    // The browser's own editing keeps its undo, and leaves the caret behind the name.
    element.setRangeText(text, from, caret, 'end');
    element.focus();
    typed(element);
    setOpen(text.endsWith('('));
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      follow();
      setOpen(true);
      setChosen(0);
    } else if (found.length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      setChosen((at + step + found.length) % found.length);
    } else if (event.key === 'Enter' && found[at] !== undefined) {
      event.preventDefault();
      accept(found[at]);
    } else if (event.key === 'Escape' && found.length > 0) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  return (
    <div
      class="expression-field"
      onFocusIn={() => setActive(true)}
      onFocusOut={(event) => {
        const next = event.relatedTarget;
        if (next instanceof Node && event.currentTarget.contains(next)) return;
        setActive(false);
        setOpen(false);
        onBlur();
      }}
    >
      <textarea
        {...attributes}
        ref={input}
        class="code-field"
        rows={Math.min(8, Math.max(1, value.split('\n').length, Math.ceil(value.length / 60)))}
        spellcheck={false}
        autocomplete="off"
        placeholder={attributes.placeholder === '' && form.result === 'boolean' ? '${…}' : attributes.placeholder}
        aria-autocomplete="list"
        aria-controls={found.length > 0 ? `${id}-names` : undefined}
        aria-activedescendant={found[at] === undefined ? undefined : `${id}-name-${at}`}
        onInput={(event) => typed(event.currentTarget)}
        onSelect={follow}
        onKeyDown={keys}
      />
      {found.length === 0 ? null : (
        <div class="completions" role="listbox" id={`${id}-names`} aria-label="Names">
          {[...found.entries()].map(([place, one]) => (
            <div
              key={one.name}
              role="option"
              id={`${id}-name-${place}`}
              class="completion"
              tabIndex={-1}
              aria-selected={place === at}
              onMouseDown={(event) => {
                event.preventDefault();
                accept(one);
              }}
            >
              <code>{one.name}</code>
              <span class="faint">{one.detail}</span>
            </div>
          ))}
        </div>
      )}
      {help === null ? null : (
        <p class="expression-help" role="status">
          <code>{help.detail === '' || !help.detail.includes('(') ? help.name : help.detail}</code>{' '}
          <Prose text={help.description} />
        </p>
      )}
      {isActive ? <Evaluation text={value} /> : null}
    </div>
  );
}
