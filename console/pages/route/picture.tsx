import type { JSX } from 'preact';
import { Expression } from '../../parts/code.tsx';
import type { PictureBranch, PictureStep } from './route-picture.ts';

/** The way of requests through a route, from top to bottom. */
export function Picture({ condition, steps }: PictureProps): JSX.Element {
  return (
    <ol class="picture" aria-label="Way of a request">
      <li class="picture-begin">
        <span class="picture-word">Request</span>
        {typeof condition === 'string' ? <Expression text={condition} /> : <span class="faint">every request</span>}
      </li>
      {steps.map((step, at) => (
        <Step key={`${at} ${step.name}`} step={step} />
      ))}
    </ol>
  );
}

interface PictureProps {
  readonly condition: string | null | undefined;
  readonly steps: readonly PictureStep[];
}

function Step({ step }: { readonly step: PictureStep }): JSX.Element {
  const { kind, type, name, facts, branches } = step;
  return (
    <li class={`picture-step is-${kind}`}>
      <div class="picture-card">
        <p class="picture-title">
          <span class="picture-type">{type ?? name ?? 'object'}</span>
          {type !== null && name !== null ? <span class="faint"> {name}</span> : null}
          <span class="picture-kind">{type === null ? `shared ${kind}` : kind}</span>
        </p>
        {facts.length === 0 ? null : (
          <dl class="picture-facts">
            {facts.map(([field, value]) => (
              <div key={field}>
                <dt>{field}</dt>
                <dd>{/^\$\{/.test(value) ? <Expression text={value} /> : value}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      {branches.length === 0 ? null : <Branches branches={branches} />}
    </li>
  );
}

function Branches({ branches }: { readonly branches: readonly PictureBranch[] }): JSX.Element {
  return (
    <ul class="picture-branches">
      {branches.map(({ label, condition, steps }, at) => (
        <li key={`${at} ${label}`}>
          <p class="picture-label">
            {label} {condition === null ? null : <Expression text={condition} />}
          </p>
          <ol class="picture">
            {steps.map((step, place) => (
              <Step key={`${place} ${step.name}`} step={step} />
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}
