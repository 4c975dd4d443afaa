import type { JSX } from 'preact';
import { objectOf } from '../../../../contract/document/lenient-parts.ts';
import { counted } from '../../../parts/figures.ts';
import { Badge } from '../../../parts/state-badge.tsx';
import { DeclarationForm } from '../forms/declaration-form.tsx';
import { isSamePath, pointerOf } from '../forms/pointer.ts';
import { moveFilter, removeStep, toHeap, toInline } from './canvas-edits.ts';
import { useCanvas } from './canvas-setting.ts';
import type { CanvasSequence, CanvasStep } from './route-steps.ts';
import { settingsOf } from './step-settings.ts';

export interface StepViewProps {
  readonly step: CanvasStep;
  /** Where it is in its list; null if it cannot be moved. */
  readonly neighbours: { readonly sequence: CanvasSequence; readonly index: number } | null;
  /** Fields of the configuration that the canvas shows by itself. */
  readonly hidden: readonly string[];
}

/** One filter or handler: its type, its name and its settings in short; its form when it is selected. */
export function StepView({ step, neighbours, hidden }: StepViewProps): JSX.Element {
  const { selected, show, drag, dragged, open, drop, marks, catalogue } = useCanvas();
  const { path, type, name, object, declaredAt, kind } = step;
  const isSelected = selected !== null && isSamePath(selected, path);
  const actions = useStepActions(step, neighbours);
  const mark = marks.get(pointerOf(declaredAt ?? path));
  const isGiven = declaredAt === null && catalogue.shown.given.some((one) => one.name === name);
  const isUnknown = declaredAt !== null && catalogue.find(type) === null;
  const takesHandler = kind === 'handler' && dragged !== null && 'type' in dragged && dragged.kind === 'handler';
  const keys = (event: KeyboardEvent): void => {
    const run = event.altKey
      ? { ArrowUp: actions.up, ArrowDown: actions.down }[event.key]
      : { Delete: actions.remove }[event.key];
    if (run !== undefined) {
      event.preventDefault();
      run?.();
    } else if (event.key === 'Insert' && neighbours !== null) {
      event.preventDefault();
      open({ kind: 'filter', sequence: neighbours.sequence, index: neighbours.index + 1 });
    }
  };
  return (
    <div class={`step is-${kind}${isSelected ? ' is-selected' : ''}${takesHandler ? ' is-open' : ''}`}>
      <button
        type="button"
        class="step-head"
        data-at={pointerOf(path)}
        aria-expanded={isSelected}
        aria-describedby="canvas-keys"
        draggable={neighbours !== null}
        onClick={() => show(isSelected ? null : path)}
        onKeyDown={keys}
        onDragStart={(event) => {
          event.dataTransfer?.setData('text/plain', name ?? type);
          drag({ step: path });
        }}
        onDragEnd={() => drag(null)}
        onDragOver={(event) => takesHandler && event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          if (takesHandler) drop({ kind: 'handler', path });
        }}
      >
        <span class="step-title">
          <span class="step-type">{type === '' ? (name ?? 'no type') : type}</span>
          {type !== '' && name !== null ? <span class="step-name">{name}</span> : null}
          {declaredAt === null ? <span class="step-note">{isGiven ? 'predefined' : 'declared elsewhere'}</span> : null}
          {isUnknown && type !== '' ? <span class="step-note">unknown type</span> : null}
          {mark === undefined ? null : (
            <Badge
              tone={mark.errors > 0 ? 'bad' : 'warn'}
              word={mark.errors > 0 ? counted(mark.errors, 'error') : counted(mark.warnings, 'warning')}
            />
          )}
        </span>
        <span class="step-settings">{settingsOf(objectOf(object?.['config']), hidden)}</span>
      </button>
      {isSelected ? (
        <div class="step-body">
          <StepTools actions={actions} />
          {object === null || declaredAt === null ? (
            <p class="field-about">
              {isGiven
                ? `‘${name}’ exists without a declaration, unless config.json declares it. Declare it in place to change its settings.`
                : `‘${name}’ is declared in config.json or in the route around this one. It can be edited there.`}
            </p>
          ) : (
            <DeclarationForm value={object} path={declaredAt} hidden={hidden} />
          )}
        </div>
      ) : null}
    </div>
  );
}

interface StepActions {
  readonly up: (() => void) | null;
  readonly down: (() => void) | null;
  readonly remove: () => void;
  /** Replaces a handler. */
  readonly replace: (() => void) | null;
  readonly toHeap: (() => void) | null;
  readonly toInline: (() => void) | null;
}

/** What can be done with a step, each with its announcement. */
function useStepActions(step: CanvasStep, neighbours: StepViewProps['neighbours']): StepActions {
  const { draft, show, announce, open, heapObjects, catalogue } = useCanvas();
  const { path, name, type, declaredAt, kind } = step;
  const word = name ?? type;
  const isNamed = declaredAt === null || !isSamePath(declaredAt, path);
  const named = heapObjects.find((one) => declaredAt !== null && isNamed && isSamePath(one.path, declaredAt));
  const moveTo = (sequence: CanvasSequence, index: number, place: number): void => {
    const to = moveFilter(draft, path, sequence, index);
    if (to === null) return;
    announce(`${word} is now filter ${place} of ${sequence.filters.length}`);
    show(to);
  };
  const remove = (): void => {
    if (!removeStep(draft, path)) return;
    announce(`${word} removed`);
    show(null);
  };
  const given = catalogue.shown.given.find((one) => declaredAt === null && one.name === name);
  const inline = (): void => {
    const isDone =
      named !== undefined ? toInline(draft, path, named) : given !== undefined && draft.set(path, { type: given.type });
    if (isDone) announce(`${word} is declared in place now`);
  };
  const { sequence, index } = neighbours ?? { sequence: null, index: 0 };
  return {
    up: sequence !== null && index > 0 ? () => moveTo(sequence, index - 1, index) : null,
    down:
      sequence !== null && index < sequence.filters.length - 1 ? () => moveTo(sequence, index + 2, index + 2) : null,
    remove,
    replace: kind === 'handler' ? () => open({ kind: 'handler', path }) : null,
    toHeap: isNamed
      ? null
      : () => {
          const to = toHeap(draft, path, type);
          if (to !== null) announce(`${word} is a named object now`);
        },
    toInline: named === undefined && given === undefined ? null : inline,
  };
}

function StepTools({ actions }: { readonly actions: StepActions }): JSX.Element {
  const { up, down, remove, replace, toHeap: name, toInline: unname } = actions;
  const button = (label: string, run: (() => void) | null, isShown = true): JSX.Element | null =>
    isShown ? (
      <button type="button" class="quiet" disabled={run === null} onClick={() => run?.()}>
        {label}
      </button>
    ) : null;
  const canMove = up !== null || down !== null;
  return (
    <div class="step-tools">
      {button('Move up', up, canMove)}
      {button('Move down', down, canMove)}
      {button('Replace', replace, replace !== null)}
      {button('Make it a named object', name, name !== null)}
      {button('Declare in place', unname, unname !== null)}
      {button('Remove', remove)}
    </div>
  );
}
