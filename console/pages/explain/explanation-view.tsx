import type { JSX } from 'preact';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { AskedRouter, TriedRoute } from '../../../contract/shown/explanation.ts';
import { Expression } from '../../parts/code.tsx';
import { counted } from '../../parts/figures.ts';
import { Badge } from '../../parts/state-badge.tsx';
import { addressOf } from '../../shell/place.ts';
import type { AskedForm } from './asked-request.ts';
import { DryRunOffer } from './dry-run-offer.tsx';
import { DryRunView } from './dry-run-view.tsx';
import type { Explanation } from './explanation.ts';
import { SeenList } from './seen-list.tsx';

/** The result first, then every route that was tried. */
export function ExplanationView({
  form,
  request,
  explanation,
}: {
  readonly form: AskedForm;
  /** As it was sent. */
  readonly request: JsonObject;
  readonly explanation: Explanation;
}): JSX.Element {
  const { refusal, routers, route, dryRun, noDryRun } = explanation;
  return (
    <>
      <Outcome explanation={explanation} />
      <p class="asked">
        <code>
          {form.method} {form.uri}
        </code>
      </p>
      {dryRun === undefined ? null : <DryRunView dryRun={dryRun} />}
      {refusal === null && dryRun === undefined ? (
        <DryRunOffer key={JSON.stringify(request)} request={request} route={route} failure={noDryRun ?? null} />
      ) : null}
      {refusal === null ? routers.map((asked) => <Asked key={asked.router} asked={asked} />) : null}
    </>
  );
}

function Outcome({ explanation: { refusal, routers } }: { readonly explanation: Explanation }): JSX.Element {
  if (refusal !== null) return <p class="outcome bad">{sentence(refusal)}</p>;
  const last = routers.at(-1);
  if (last === undefined) return <p class="outcome warn">There are no routes.</p>;
  if (last.route === null) {
    if (last.anotherRoute === true) return <p class="outcome">A route takes the request that you may not see.</p>;
    return (
      <p class="outcome warn">
        No route takes the request.{' '}
        {last.otherwise === 'default-handler' ? 'The default handler of the router answers.' : 'The answer is 404.'}
      </p>
    );
  }
  const taken = last.tried.at(-1);
  return (
    <p class={taken?.refuses === true ? 'outcome bad' : 'outcome good'}>
      <a href={routeAddress(last, last.route)}>{last.route}</a> takes the request
      {taken?.refuses === true ? ' and rejects it with 500, because its document has errors' : ''}.
    </p>
  );
}

function Asked({ asked }: { readonly asked: AskedRouter }): JSX.Element {
  const { router, tried, notTried, leftOut = 0 } = asked;
  return (
    <div class="asked-router">
      <h2>Routes of {router.replace(/^gateway\./, '')}, in their order</h2>
      {leftOut > 0 ? <p class="faint">{counted(leftOut, 'earlier route')} did not match and are left out.</p> : null}
      <ol class="tried">
        {tried.map((route) => (
          <Tried key={route.id} route={route} asked={asked} />
        ))}
      </ol>
      {notTried > 0 ? <p class="faint">{counted(notTried, 'later route')} not tried.</p> : null}
    </div>
  );
}

function Tried({ route, asked }: { readonly route: TriedRoute; readonly asked: AskedRouter }): JSX.Element {
  const { id, condition, verdict, reason, values, claims, answers } = route;
  return (
    <li class={verdict === true ? 'taken' : ''}>
      <p class="tried-title">
        <Verdict verdict={verdict} />
        <a href={routeAddress(asked, id)}>{id}</a>
      </p>
      <p class="tried-condition">
        {condition === null ? <span class="faint">every request</span> : <Expression text={condition} />}
      </p>
      {reason === undefined ? null : <p class="warn-text">{sentence(reason)}</p>}
      {claims === true ? <p class="faint">It claims this path, whatever its condition says.</p> : null}
      {answers === undefined ? null : (
        <p class="faint">
          Its filter {answers.name ?? answers.type} answers the request itself ({answers.field}).
        </p>
      )}
      <SeenList seen={values.map(({ expression, value }) => [expression, value] as const)} />
    </li>
  );
}

function Verdict({ verdict }: { readonly verdict: boolean | null }): JSX.Element {
  if (verdict === true) return <Badge word="true" tone="good" />;
  return verdict === false ? <Badge word="false" tone="quiet" /> : <Badge word="no value" tone="warn" />;
}

function routeAddress({ router }: AskedRouter, id: string): string {
  return addressOf(['routes', id], { router: router === 'gateway._router' ? null : router });
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
