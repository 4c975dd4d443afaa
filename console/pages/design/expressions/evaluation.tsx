import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isJsonObject } from '../../../../contract/document/json-value.ts';
import type { EvaluatedExpression } from '../../../../contract/shown/evaluated-expression.ts';
import { act } from '../../../client/rest-client.ts';
import { RestFailure } from '../../../client/rest-failure.ts';
import { currentPlace } from '../../../shell/place.ts';
import { askedRequest, METHODS } from '../../explain/asked-request.ts';
import { useFormSetting } from '../forms/form-setting.ts';
import { setSample, useSample } from './sample-request.ts';

/** Milliseconds without a change before the gateway is asked. */
const PAUSE = 250;

/** The value of an expression for the sample request, while it is written. */
export function Evaluation({ text }: { readonly text: string }): JSX.Element | null {
  const result = useEvaluated(text);
  const [isOpen, setOpen] = useState(false);
  if (!/[$#]\{/.test(text)) return null;
  return (
    <div class="evaluation">
      <output class="evaluation-result">
        {result === null ? <span class="faint">…</span> : <Result result={result} text={text} />}
      </output>
      <button type="button" class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Sample request
      </button>
      {isOpen ? <SampleForm /> : null}
    </div>
  );
}

type Shown = EvaluatedExpression | { readonly outcome: 'unknown'; readonly message: string };

function Result({ result, text }: { readonly result: Shown; readonly text: string }): JSX.Element {
  if (result.outcome === 'value')
    return (
      <>
        <span class="evaluation-sign" aria-hidden="true">
          =
        </span>
        <code class="evaluation-value">{result.value}</code>
        <span class="faint">{result.type}</span>
        {result.warnings.map((warning) => (
          <span key={warning} class="warn-text">
            {warning}
          </span>
        ))}
      </>
    );
  if (result.outcome === 'invalid' && result.offset !== undefined)
    return (
      <span class="bad-text">
        <code>{text.slice(Math.max(0, result.offset - 12), result.offset)}</code>
        <code class="evaluation-place">{text.slice(result.offset, result.offset + 8) || '⏎'}</code> {result.message}
      </span>
    );
  const tone = result.outcome === 'invalid' || result.outcome === 'failed' ? 'bad-text' : 'faint';
  return <span class={tone}>{result.message}</span>;
}

/** Asks the gateway a moment after the last change; null until it has answered. */
function useEvaluated(text: string): Shown | null {
  const { draft } = useFormSetting();
  const sample = useSample();
  const [result, setResult] = useState<Shown | null>(null);
  const properties = isJsonObject(draft.document) ? draft.document['properties'] : undefined;
  const known = JSON.stringify(properties ?? {});
  useEffect(() => {
    if (!/[$#]\{/.test(text)) return;
    const request = askedRequest(sample);
    if (typeof request === 'string') {
      setResult({ outcome: 'unknown', message: request });
      return;
    }
    const under = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        const body = { expression: text, request, ...(isJsonObject(properties) && { properties }) };
        const answer = await act(routePath(), 'evaluate', body, under.signal);
        if (!under.signal.aborted) setResult(answer as unknown as EvaluatedExpression);
      } catch (error) {
        if (under.signal.aborted) return;
        const message = error instanceof RestFailure ? error.message : String(error);
        setResult({ outcome: 'unknown', message });
      }
    };
    const timer = window.setTimeout(() => void ask(), PAUSE);
    return () => {
      window.clearTimeout(timer);
      under.abort();
    };
  }, [text, sample, known]);
  return result;
}

/** The rights on one route are enough to try its expressions. */
function routePath(): string {
  const [page, id, word] = currentPlace().steps;
  return page === 'routes' && id !== undefined && word !== undefined ? `routes/${encodeURIComponent(id)}` : 'routes';
}

function SampleForm(): JSX.Element {
  const sample = useSample();
  return (
    <div class="sample">
      <select
        aria-label="Method of the sample request"
        value={sample.method}
        onChange={(event) => setSample({ method: event.currentTarget.value })}
      >
        {METHODS.map((method) => (
          <option key={method}>{method}</option>
        ))}
      </select>
      <input
        type="text"
        aria-label="URL of the sample request"
        spellcheck={false}
        value={sample.uri}
        onInput={(event) => setSample({ uri: event.currentTarget.value })}
      />
      <textarea
        rows={2}
        aria-label="Headers of the sample request, one in each line"
        placeholder="X-Tenant: eu"
        spellcheck={false}
        value={sample.headers}
        onInput={(event) => setSample({ headers: event.currentTarget.value })}
      />
    </div>
  );
}
