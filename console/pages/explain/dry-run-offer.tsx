import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { DryRun } from '../../../contract/shown/dry-run.ts';
import { usePermissions } from '../../client/permissions.ts';
import { act } from '../../client/rest-client.ts';
import { RestFailure } from '../../client/rest-failure.ts';
import { DryRunView } from './dry-run-view.tsx';

/** Offers the dry run of a request whose conditions are explained. */
export function DryRunOffer({
  request,
  route,
  failure,
}: {
  /** As it was sent. */
  readonly request: JsonObject;
  /** The route that takes the request; null for none that the user may see. */
  readonly route: string | null;
  /** Reason why a first attempt failed; null for none. */
  readonly failure: string | null;
}): JSX.Element {
  // a first attempt is made only for people who may have a dry run of any request
  const { allowed, reason } = usePermissions(failure === null && route !== null ? route : undefined).dryRun;
  const [dryRun, setDryRun] = useState<DryRun | null>(null);
  const [problem, setProblem] = useState(failure);
  const [isRunning, setRunning] = useState(false);
  const under = useRef(new AbortController());
  useEffect(() => () => under.current.abort(), []);

  const run = async (): Promise<void> => {
    if (!allowed || isRunning) return;
    setRunning(true);
    try {
      const path = route === null ? 'routes' : `routes/${encodeURIComponent(route)}`;
      const answer = await act(path, 'explain', { ...request, dryRun: true }, under.current.signal);
      const made = answer['dryRun'] as unknown as DryRun | undefined;
      setDryRun(made ?? null);
      setProblem(made === undefined ? 'Another route takes the request now.' : null);
    } catch (error) {
      if (under.current.signal.aborted) return;
      setProblem(error instanceof RestFailure ? error.message : String(error));
    } finally {
      setRunning(false);
    }
  };

  if (dryRun !== null) return <DryRunView dryRun={dryRun} />;
  return (
    <section class="dry-run-offer" aria-labelledby="dry-run-offer-title">
      <h2 id="dry-run-offer-title">Filters and handlers</h2>
      <p>
        <button
          type="button"
          aria-disabled={!allowed}
          aria-describedby="dry-run-reason"
          title={reason ?? undefined}
          onClick={() => void run()}
        >
          {isRunning ? 'Running…' : 'Dry run'}
        </button>
      </p>
      <p id="dry-run-reason" class={problem === null ? 'faint' : 'warn-text'}>
        {problem ?? reason ?? 'The request passes the filters of a data plane, which count, keep and send nothing.'}
      </p>
    </section>
  );
}
