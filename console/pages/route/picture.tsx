import type { JSX } from 'preact';
import { Expression } from '../../parts/code.tsx';
import { Badge } from '../../parts/state-badge.tsx';
import { type Endpoint, EndpointState } from '../planes/endpoints.tsx';
import type { ObjectWords } from './object-words.ts';
import type { PictureBranch, PictureStep } from './route-picture.ts';

/** The way of requests through a route, from top to bottom. */
export function Picture({ condition, steps, wordsOf, endpointsOf }: PictureProps): JSX.Element {
  return (
    <ol class="picture" aria-label="Way of a request">
      <li class="picture-begin">
        <span class="picture-word">Request</span>
        {typeof condition === 'string' ? <Expression text={condition} /> : <span class="faint">every request</span>}
      </li>
      {steps.map((step, at) => (
        <Step key={`${at} ${step.name}`} step={step} wordsOf={wordsOf} endpointsOf={endpointsOf} />
      ))}
    </ol>
  );
}

/** Live numbers of the objects in a picture. */
export interface PictureFigures {
  /** @param object name that the gateway has for it */
  readonly wordsOf: (object: string) => readonly ObjectWords[];
  /** @param backends name of a Backends */
  readonly endpointsOf: (backends: string) => readonly Endpoint[];
}

interface PictureProps extends PictureFigures {
  readonly condition: string | null | undefined;
  readonly steps: readonly PictureStep[];
}

interface StepProps extends PictureFigures {
  readonly step: PictureStep;
}

function Step({ step, wordsOf, endpointsOf }: StepProps): JSX.Element {
  const { kind, type, name, object, backends, facts, branches } = step;
  const endpoints = backends.flatMap(endpointsOf);
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
        <Words words={wordsOf(object)} />
        {endpoints.length === 0 ? null : <Endpoints endpoints={endpoints} />}
      </div>
      {branches.length === 0 ? null : <Branches branches={branches} wordsOf={wordsOf} endpointsOf={endpointsOf} />}
    </li>
  );
}

/** Counters and states of an object. */
function Words({ words }: { readonly words: readonly ObjectWords[] }): JSX.Element | null {
  if (words.length === 0) return null;
  return (
    <ul class="picture-words">
      {words.map(({ text, tone }) => (
        <li key={text}>{tone === null ? text : <Badge word={text} tone={tone} />}</li>
      ))}
    </ul>
  );
}

function Endpoints({ endpoints }: { readonly endpoints: readonly Endpoint[] }): JSX.Element {
  return (
    <ul class="picture-endpoints" aria-label="Endpoints">
      {endpoints.map(({ plane, backends, endpoint, state, answered, failed }) => (
        <li key={`${plane} ${backends} ${endpoint}`} class="picture-endpoint">
          <EndpointState state={state} />
          <code>{endpoint}</code>
          <span class="faint">
            {answered.toLocaleString('en')} answered, {failed.toLocaleString('en')} failed
          </span>
        </li>
      ))}
    </ul>
  );
}

interface BranchesProps extends PictureFigures {
  readonly branches: readonly PictureBranch[];
}

function Branches({ branches, wordsOf, endpointsOf }: BranchesProps): JSX.Element {
  return (
    <ul class="picture-branches">
      {branches.map(({ label, condition, steps }, at) => (
        <li key={`${at} ${label}`}>
          <p class="picture-label">
            {label} {condition === null ? null : <Expression text={condition} />}
          </p>
          <ol class="picture">
            {steps.map((step, place) => (
              <Step key={`${place} ${step.name}`} step={step} wordsOf={wordsOf} endpointsOf={endpointsOf} />
            ))}
          </ol>
        </li>
      ))}
    </ul>
  );
}
