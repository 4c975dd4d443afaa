import type { ComponentChildren, JSX } from 'preact';
import type { Known } from '../client/poll.ts';
import type { RestFailure } from '../client/rest-failure.ts';

/** Something that is not there, and what to do about it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="note">
      <p class="note-title">{title}</p>
      {children === undefined ? null : <div class="note-text">{children}</div>}
    </div>
  );
}

/** Hint for pages that need documents, in the mode PRODUCTION. @param purpose what they are for, such as `edit routes` */
export function NeedsEvaluation({ purpose }: { readonly purpose: string }): JSX.Element {
  return (
    <p>
      This gateway runs in the mode <code>PRODUCTION</code>. Set <code>"mode": "EVALUATION"</code> in{' '}
      <code>admin.json</code> to {purpose} from this machine.
    </p>
  );
}

/** Lines in place of rows that are on their way. */
export function Loading({ what }: { readonly what: string }): JSX.Element {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading {what}</span>
      {[0, 1, 2, 3, 4].map((line) => (
        <span key={line} class="loading-line" aria-hidden="true" />
      ))}
    </div>
  );
}

const TITLES: Readonly<Record<RestFailure['kind'], string>> = {
  unreachable: 'The gateway does not answer',
  'signed-out': 'The API of this gateway needs a credential',
  forbidden: 'Not allowed',
  missing: 'Not found',
  failed: 'The gateway could not answer',
};

/** Reason why there is nothing to show, in the words of the gateway. */
export function Failure({
  failure,
  retry,
}: {
  readonly failure: RestFailure;
  readonly retry?: () => void;
}): JSX.Element {
  const { kind, message, status } = failure;
  return (
    <div class="note" role="alert">
      <p class="note-title">{TITLES[kind]}</p>
      <div class="note-text">
        <p>{kind === 'unreachable' ? 'It is asked again every few seconds.' : sentence(message)}</p>
        {kind === 'signed-out' ? (
          <p>
            A filter in front of the API asks for a credential that the console does not have. Use{' '}
            <code>gatewarden api</code> instead.
          </p>
        ) : null}
        {status > 0 ? <p class="faint">Status {status}</p> : null}
        {retry === undefined || kind === 'unreachable' ? null : (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Shows a value when it is known, and before that why it is not. */
export function Shown<T>({
  known,
  what,
  retry,
  children,
}: {
  readonly known: Known<T>;
  /** Such as `secret stores`. */
  readonly what: string;
  readonly retry: () => void;
  readonly children: (value: T) => JSX.Element;
}): JSX.Element {
  const { value, failure } = known;
  // What a caller may not see any more is not shown any more; a lost connection is told elsewhere.
  if (failure !== null && (value === null || failure.kind !== 'unreachable'))
    return <Failure failure={failure} retry={retry} />;
  return value === null ? <Loading what={what} /> : children(value);
}

function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
