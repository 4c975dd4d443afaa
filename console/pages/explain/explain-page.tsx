import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import { ALL_ROUTES, type ShownPermissions } from '../../../contract/shown/shown-permissions.ts';
import { act, read } from '../../client/rest-client.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { Failure } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { addressOf, goTo, type Place } from '../../shell/place.ts';
import { type AskedForm, askedRequest, formIn, METHODS, parametersOf } from './asked-request.ts';
import type { Explanation } from './explanation.ts';
import { ExplanationView } from './explanation-view.tsx';

type Result =
  | { readonly kind: 'none' | 'asking' }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'failed'; readonly failure: RestFailure }
  | {
      readonly kind: 'explained';
      readonly form: AskedForm;
      readonly request: JsonObject;
      readonly explanation: Explanation;
    };

/** Asks which route takes a request, and why no other one does. */
export function ExplainPage({ place }: { readonly place: Place }): JSX.Element {
  const [form, setForm] = useState(() => formIn(place.query));
  const [result, setResult] = useState<Result>({ kind: 'none' });
  const asked = useRef(new AbortController());

  const ask = async (given: AskedForm): Promise<void> => {
    asked.current.abort();
    const under = new AbortController();
    asked.current = under;
    const request = askedRequest(given);
    if (typeof request === 'string') {
      setResult({ kind: 'wrong', message: request });
      return;
    }
    setResult({ kind: 'asking' });
    try {
      const explanation = await explained(request, under.signal);
      if (!under.signal.aborted) setResult({ kind: 'explained', form: given, request, explanation });
    } catch (error) {
      if (under.signal.aborted) return;
      const failure = error instanceof RestFailure ? error : new RestFailure('failed', 0, String(error));
      setResult({ kind: 'failed', failure });
    }
  };

  // An address with a request is asked at once, also when somebody goes back to it.
  const address = place.query.toString();
  useEffect(() => {
    const given = { ...form, ...pick(formIn(place.query)) };
    if (address === '') return;
    if (given.method !== form.method || parametersOf(form)['uri'] !== given.uri) setForm(given);
    else given.uri = form.uri;
    void ask(given);
    return () => asked.current.abort();
  }, [address]);

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const next = addressOf(['explain'], parametersOf(form));
    const isSame = next === addressOf(['explain'], Object.fromEntries(place.query));
    if (isSame || typeof askedRequest(form) === 'string') void ask(form);
    else goTo(next);
  };

  return (
    <div class="page">
      <PageHead title="Explain">
        <span>Which route takes a request, why, and what its filters do. Nothing is sent to a backend.</span>
      </PageHead>
      <div class="beside explain">
        <RequestForm form={form} changed={setForm} submit={submit} />
        <section aria-label="Explanation" aria-live="polite" aria-busy={result.kind === 'asking'}>
          <ResultView result={result} retry={() => void ask(form)} />
        </section>
      </div>
    </div>
  );
}

/** Explains a request, with a dry run for people who may have one of any request. */
async function explained(request: JsonObject, signal: AbortSignal): Promise<Explanation> {
  const ask = async (body: JsonObject): Promise<Explanation> =>
    (await act('routes', 'explain', body, signal)) as unknown as Explanation;
  const permissions = await read(`permissions/${encodeURIComponent(ALL_ROUTES)}`, signal);
  if (!(permissions as unknown as ShownPermissions).routes.dryRun.allowed) return ask(request);
  try {
    return await ask({ ...request, dryRun: true });
  } catch (error) {
    // no data plane can be asked now, or all are of an older version: conditions are explained all the same
    if (error instanceof RestFailure && [501, 503].includes(error.status)) {
      return { ...(await ask(request)), noDryRun: error.message };
    }
    throw error;
  }
}

function pick({ method, uri }: AskedForm): { method: string; uri: string } {
  return { method, uri };
}

interface RequestFormProps {
  readonly form: AskedForm;
  readonly changed: (form: AskedForm) => void;
  readonly submit: (event: SubmitEvent) => void;
}

function RequestForm({ form, changed, submit }: RequestFormProps): JSX.Element {
  return (
    <form class="ask" onSubmit={submit} noValidate>
      <div class="ask-line">
        <label>
          Method
          <select value={form.method} onChange={(event) => changed({ ...form, method: event.currentTarget.value })}>
            {[...new Set([...METHODS, form.method])].map((method) => (
              <option key={method} value={method}>
                {method}
              </option>
            ))}
          </select>
        </label>
        <label>
          URL or path
          <input
            type="text"
            inputMode="url"
            spellcheck={false}
            autocomplete="off"
            placeholder="https://shop.example.com/orders?open=1"
            value={form.uri}
            onInput={(event) => changed({ ...form, uri: event.currentTarget.value })}
          />
        </label>
      </div>
      <label>
        <span>
          Headers <span class="faint">one in each line; not part of the address of this page</span>
        </span>
        <textarea
          rows={4}
          spellcheck={false}
          placeholder={'Accept: application/json\nAuthorization: Bearer …'}
          value={form.headers}
          onInput={(event) => changed({ ...form, headers: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>
          Body <span class="faint">optional</span>
        </span>
        <textarea
          rows={3}
          spellcheck={false}
          value={form.entity}
          onInput={(event) => changed({ ...form, entity: event.currentTarget.value })}
        />
      </label>
      <button class="primary" type="submit">
        Explain
      </button>
    </form>
  );
}

function ResultView({ result, retry }: { readonly result: Result; readonly retry: () => void }): JSX.Element {
  if (result.kind === 'wrong') return <p class="bad-text">{result.message}</p>;
  if (result.kind === 'failed') return <Failure failure={result.failure} retry={retry} />;
  if (result.kind === 'explained') {
    const { form, request, explanation } = result;
    return <ExplanationView form={form} request={request} explanation={explanation} />;
  }
  if (result.kind === 'asking') return <p class="faint">Evaluating conditions and running filters</p>;
  return (
    <p class="faint">
      The gateway evaluates the conditions of its routes in their order, up to the one that takes the request. Then the
      request passes its filters, which count, keep and send nothing.
    </p>
  );
}
