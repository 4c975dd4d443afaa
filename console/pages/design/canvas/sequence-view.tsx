import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Expression } from '../../../parts/code.tsx';
import { pointerOf } from '../forms/pointer.ts';
import { type Target, useCanvas } from './canvas-setting.ts';
import type { CanvasBranch, CanvasSequence, CanvasStep } from './route-steps.ts';
import { StepView } from './step-view.tsx';

/** Filters in their order with places to insert others, and the handler. */
export function SequenceView({
  sequence,
  label,
}: {
  readonly sequence: CanvasSequence;
  readonly label: string;
}): JSX.Element {
  const { chain, filters, handler, handlerAt, list } = sequence;
  const canInsert = list !== null || handlerAt !== null;
  return (
    <ol class="sequence" aria-label={label}>
      {chain === null ? null : (
        <li key="chain" class="chain-mark">
          <StepView step={chain} neighbours={null} hidden={['filters', 'handler']} />
        </li>
      )}
      {[...filters.entries()].map(([at, step]) => (
        <li key={pointerOf(step.path)} class="place">
          {canInsert ? <Gap target={{ kind: 'filter', sequence, index: at }} before={nameOf(step)} /> : null}
          <StepView step={step} neighbours={list === null ? null : { sequence, index: at }} hidden={[]} />
          <Branches branches={step.branches} />
        </li>
      ))}
      {handlerAt === null ? (
        canInsert ? (
          <li key="end" class="place">
            <Gap target={{ kind: 'filter', sequence, index: filters.length }} before="the end" />
          </li>
        ) : null
      ) : (
        <li key="handler" class="place is-handler">
          <Gap
            target={{ kind: 'filter', sequence, index: filters.length }}
            before={handler === null ? 'the handler' : nameOf(handler)}
          />
          {handler === null ? (
            <MissingHandler target={{ kind: 'handler', path: handlerAt }} />
          ) : (
            <>
              <StepView step={handler} neighbours={null} hidden={[]} />
              <Branches branches={handler.branches} />
            </>
          )}
        </li>
      )}
    </ol>
  );
}

function Branches({ branches }: { readonly branches: readonly CanvasBranch[] }): JSX.Element | null {
  return branches.length === 0 ? null : (
    <ul class="branches">
      {[...branches.entries()].map(([at, { label, condition, sequence }]) => (
        <li key={at} class="branch">
          <p class="branch-label">
            {label} {condition === null ? null : <Expression text={condition} />}
          </p>
          <SequenceView sequence={sequence} label={`${label} ${condition ?? ''}`.trim()} />
        </li>
      ))}
    </ul>
  );
}

/** A place between two steps: a button for keys and clicks, and a place to drop on. */
function Gap({ target, before }: { readonly target: Target; readonly before: string }): JSX.Element {
  const { dragged, open, drop } = useCanvas();
  const [isOver, setOver] = useState(false);
  const takes = dragged !== null && ('step' in dragged || dragged.kind === 'filter');
  return (
    <button
      type="button"
      class={`gap${takes ? ' is-open' : ''}${isOver ? ' is-over' : ''}`}
      aria-label={`Insert a filter before ${before}`}
      onClick={() => open(target)}
      onDragOver={(event) => {
        if (!takes) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        drop(target);
      }}
    >
      <span aria-hidden="true">+</span>
    </button>
  );
}

function MissingHandler({ target }: { readonly target: Target }): JSX.Element {
  const { dragged, open, drop } = useCanvas();
  const takes = dragged !== null && 'type' in dragged && dragged.kind === 'handler';
  return (
    <button
      type="button"
      class={`missing${takes ? ' is-open' : ''}`}
      onClick={() => open(target)}
      onDragOver={(event) => takes && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        drop(target);
      }}
    >
      Choose a handler
    </button>
  );
}

function nameOf({ type, name }: CanvasStep): string {
  return name ?? (type === '' ? 'an object without a type' : type);
}
