import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ShownSession } from '../../contract/shown/shown-session.ts';
import type { SignInProblem } from '../../contract/shown/sign-in-problem.ts';
import { RestFailure } from '../client/rest-failure.ts';
import { PageHead } from '../parts/page-head.tsx';
import { beginSignIn, signIn } from './session.ts';
import { problemText } from './sign-in-problem.ts';

export interface SignInProps extends Pick<ShownSession, 'ways' | 'provider'> {
  /** True for somebody whose session ended: the page behind the form has to stay. */
  readonly isAgain: boolean;
  /** Why the last sign-in failed. */
  readonly problem: SignInProblem | null;
}

/** Offers the ways to sign in. */
export function SignIn({ ways, provider, isAgain, problem }: SignInProps): JSX.Element {
  return (
    <div class="page sign-in">
      <PageHead title="Sign in" />
      {isAgain ? <p class="hint">Your session has ended. Sign in again to go on where you were.</p> : null}
      {provider === null ? null : <ProviderForm provider={provider} isAgain={isAgain} before={problem} />}
      {provider !== null && ways.includes('token') ? <p class="sign-in-or faint">or</p> : null}
      {ways.includes('token') ? <TokenForm isFirst={provider === null} /> : null}
    </div>
  );
}

function ProviderForm({
  provider,
  isAgain,
  before,
}: {
  readonly provider: string;
  readonly isAgain: boolean;
  readonly before: SignInProblem | null;
}): JSX.Element {
  const [problem, setProblem] = useState(before === null ? null : problemText(before, provider));
  const [isSending, setSending] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    // A browser opens tabs at a click only, and not when an answer is there.
    const tab = isAgain ? window.open('about:blank', '_blank') : null;
    try {
      const location = await beginSignIn();
      if (tab === null) window.location.assign(location);
      else tab.location.replace(location);
      setProblem(null);
      if (tab !== null) setSending(false);
    } catch (error) {
      tab?.close();
      setProblem(error instanceof RestFailure ? sentence(error.message) : String(error));
      setSending(false);
    }
  };
  return (
    <form class="sign-in-form" onSubmit={(event) => void submit(event)}>
      <button type="submit" class="primary" disabled={isSending}>
        Sign in with {provider}
      </button>
      {isAgain ? <p class="faint">Opens a new tab, so that this page stays as it is.</p> : null}
      <p role="alert" class="bad-text">
        {problem}
      </p>
    </form>
  );
}

/** Asks for a token of the cluster. The text stays in its field until it is sent, and nowhere afterwards. */
function TokenForm({ isFirst }: { readonly isFirst: boolean }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const input = field.current;
    if (input === null || isSending) return;
    const { value } = input;
    input.value = '';
    setSending(true);
    try {
      await signIn(value);
      setProblem(null);
    } catch (error) {
      setProblem(error instanceof RestFailure ? sentence(error.message) : String(error));
      input.focus();
    } finally {
      setSending(false);
    }
  };
  return (
    <form class="sign-in-form" onSubmit={(event) => void submit(event)} autoComplete="off">
      <label for="token">Token of the cluster</label>
      <input
        ref={field}
        id="token"
        type="password"
        autoComplete="off"
        spellcheck={false}
        required
        aria-describedby="token-help token-problem"
        aria-invalid={problem === null ? undefined : true}
      />
      <p id="token-help" class="faint">
        For example of <code>kubectl create token NAME -n NAMESPACE</code>. It is sent once and kept in an encrypted
        cookie that ends with it. You see and change what its rights allow.
      </p>
      <p id="token-problem" role="alert" class="bad-text">
        {problem}
      </p>
      <button type="submit" class={isFirst ? 'primary' : undefined} disabled={isSending}>
        Sign in
      </button>
    </form>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
