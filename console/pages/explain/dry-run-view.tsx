import type { JSX } from 'preact';
import type { DryRun, DryRunStep } from '../../../contract/shown/dry-run.ts';
import { shortTime } from '../../parts/figures.ts';
import { Badge } from '../../parts/state-badge.tsx';
import { SeenList } from './seen-list.tsx';

/** The way of a request through filters and handlers, step by step. */
export function DryRunView({ dryRun }: { readonly dryRun: DryRun }): JSX.Element {
  const { steps, leftOut = 0, status, plane, unit, revision, milliseconds } = dryRun;
  const place = plane === undefined ? '' : ` on the data plane ${plane},`;
  return (
    <section class="asked-router" aria-labelledby="dry-run-title">
      <h2 id="dry-run-title">Filters and handlers, in their order</h2>
      <p class="faint">
        Dry run in {shortTime(milliseconds)}
        {place} on unit {unit}, revision {revision.slice(0, 12)}.{' '}
        {status === null ? 'The backend is not called.' : `The answer is ${status}.`}
      </p>
      <ol class="tried dry-run">
        {steps.map((step, at) => (
          <Step key={`${at} ${step.object}`} step={step} />
        ))}
      </ol>
      {leftOut > 0 ? <p class="faint">{leftOut} more steps are not shown.</p> : null}
    </section>
  );
}

function Step({ step }: { readonly step: DryRunStep }): JSX.Element {
  const { type, name, kind, depth, milliseconds, refusal, reason, backend, values, facts, changes, unsure } = step;
  const seen = [...values.map(({ expression, value }) => [expression, value] as const), ...Object.entries(facts)];
  return (
    <li class={`depth-${Math.min(depth, 2)}`}>
      <p class="tried-title">
        <Outcome step={step} />
        {step.hidden === true ? (
          <span class="faint">A {kind} that you may not see</span>
        ) : (
          <span>
            <strong>{type}</strong> {name.startsWith('{') ? null : <span class="faint">{name}</span>}
          </span>
        )}
        <span class="step-time">{kind === 'route' || step.hidden === true ? '' : shortTime(milliseconds)}</span>
      </p>
      {backend === undefined ? null : (
        <p>
          It would be sent to <code>{backend}</code>
        </p>
      )}
      {refusal === undefined && reason === undefined ? null : (
        <p class={step.outcome === 'assumed' ? 'faint' : 'warn-text'}>
          {refusal === undefined ? null : <code>{refusal}</code>} {reason}
        </p>
      )}
      {unsure === true ? <p class="faint">Unsure: an object before it did not run.</p> : null}
      {changes.map((change) => (
        <p key={change}>{change}</p>
      ))}
      <SeenList seen={seen} />
    </li>
  );
}

function Outcome({ step: { outcome, status } }: { readonly step: DryRunStep }): JSX.Element {
  if (outcome === 'passed') return <Badge word="passed" tone="good" />;
  if (outcome === 'assumed') return <Badge word="not run" tone="quiet" />;
  if (outcome === 'failed') return <Badge word="failed" tone="bad" />;
  return <Badge word={`answers ${status ?? ''}`} tone={(status ?? 500) >= 400 ? 'warn' : 'good'} />;
}
