import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { SignInWay } from '../../contract/shown/shown-session.ts';
import { RestFailure } from '../client/rest-failure.ts';
import { PageHead } from '../parts/page-head.tsx';
import { signIn } from './session.ts';

/** Asks for a token of the cluster. The text stays in its field until it is sent, and nowhere afterwards. */
export function SignIn({
  ways,
  isAgain,
}: {
  readonly ways: readonly SignInWay[];
  readonly isAgain: boolean;
}): JSX.Element {
  return (
    <div class="page sign-in">
      <PageHead title="Sign in" />
      {isAgain ? <p class="hint">Your session has ended. Sign in again to go on where you were.</p> : null}
      {ways.includes('token') ? <TokenForm /> : null}
    </div>
  );
}

function TokenForm(): JSX.Element {
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
      <button type="submit" class="primary" disabled={isSending}>
        Sign in
      </button>
    </form>
  );
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
