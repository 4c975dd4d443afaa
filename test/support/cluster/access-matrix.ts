import { readFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { markdownTable } from '../../../docs/markdown-table.ts';
import { type ClusterAccess, kubeconfigToken } from './api-server.ts';

/** Somebody whom the API server knows. */
export interface Identity {
  readonly title: string;
  readonly user: string;
  readonly groups: readonly string[];
}

/** Something that one may do something with. */
export interface Subject {
  readonly title: string;
  readonly verbs: readonly string[];
  /** What RBAC is asked about, without the verb. */
  readonly resource?: {
    readonly group?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  /** In place of a resource. */
  readonly path?: string;
}

/** What everybody may do with everything, as the API server answers it. */
export interface AccessMatrix {
  readonly identities: readonly Identity[];
  readonly rows: readonly { readonly title: string; readonly allowed: readonly (readonly string[])[] }[];
}

const AT_ONCE = 16;

/** A ServiceAccount, with the groups that the API server puts it into. */
export function accountIdentity(title: string, namespace: string, name: string): Identity {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { title, user: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Asks the API server what `kubectl auth can-i VERB … --as USER` asks, for all of them. */
export async function askAccess(
  access: ClusterAccess,
  identities: readonly Identity[],
  subjects: readonly Subject[],
): Promise<AccessMatrix> {
  const agent = new Agent({ connect: { ca: readFileSync(access.caFile) }, connections: AT_ONCE });
  const authorization = `Bearer ${kubeconfigToken(access.kubeconfig)}`;

  async function isAllowed({ user, groups }: Identity, subject: Subject, verb: string): Promise<boolean> {
    const attributes =
      subject.path === undefined
        ? { resourceAttributes: { ...subject.resource, verb } }
        : { nonResourceAttributes: { path: subject.path, verb } };
    const spec = { user, groups, ...attributes };
    const body = JSON.stringify({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
    const headers = { authorization, 'content-type': 'application/json' };
    const url = `${access.server}/apis/authorization.k8s.io/v1/subjectaccessreviews`;
    const answer = await fetch(url, { method: 'POST', headers, body, dispatcher: agent });
    const text = await answer.text();
    if (answer.status !== 201) throw new Error(`the API server answers ${answer.status}: ${text}`);
    return (JSON.parse(text) as { status: { allowed: boolean } }).status.allowed;
  }

  try {
    const rows: { title: string; allowed: string[][] }[] = [];
    for (const subject of subjects) {
      const ask = async (identity: Identity): Promise<string[]> => {
        const answers = await Promise.all(subject.verbs.map((verb) => isAllowed(identity, subject, verb)));
        return subject.verbs.filter((_, at) => answers[at]);
      };
      rows.push({ title: subject.title, allowed: await Promise.all(identities.map(ask)) });
    }
    return { identities, rows };
  } finally {
    await agent.close();
  }
}

/** A matrix as people read it. */
export function matrixTable({ identities, rows }: AccessMatrix): string {
  const head = ['', ...identities.map(({ title }) => title)];
  return markdownTable([
    head,
    ...rows.map(({ title, allowed }) => [title, ...allowed.map((verbs) => verbs.join(', '))]),
  ]);
}

/** What the API server answers to somebody with this token who asks for a path. */
export async function statusFor(access: ClusterAccess, path: string, token: string): Promise<number> {
  const agent = new Agent({ connect: { ca: readFileSync(access.caFile) } });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${access.server}${path}`, { headers, dispatcher: agent });
  await answer.text();
  await agent.close();
  return answer.status;
}
