import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { creatableNamespaces } from '../../client/creatable-namespaces.ts';
import { usePoll } from '../../client/use-poll.ts';
import { clusterIdOf, idOf } from './cluster-id.ts';
import type { EditedRoute } from './edited-route.ts';

interface RouteIdProps {
  readonly edited: EditedRoute;
  readonly isCluster: boolean;
}

/** The id of the route, which can be edited. In a cluster it has a namespace and a name. */
export function RouteId({ edited, isCluster }: RouteIdProps): JSX.Element {
  return isCluster ? (
    <InCluster edited={edited} />
  ) : (
    <Field title="Route id" value={edited.id} write={(id) => edited.rename(id)} />
  );
}

function InCluster({ edited }: { readonly edited: EditedRoute }): JSX.Element {
  const namespaces = usePoll(creatableNamespaces).value ?? [];
  const id = clusterIdOf(edited.id);
  const [only, ...others] = namespaces;
  const wasChosen = useRef(id.namespace !== '');
  useEffect(() => {
    if (wasChosen.current || only === undefined || others.length > 0) return;
    // Once: somebody who empties the field wants another namespace.
    wasChosen.current = true;
    if (id.namespace === '') edited.rename(idOf({ ...id, namespace: only }));
  }, [edited, id.namespace, only, others.length]);
  return (
    <>
      <Field
        title="Namespace"
        value={id.namespace}
        choices={namespaces}
        write={(namespace) => edited.rename(idOf({ ...id, namespace: namespace.replaceAll('.', '') }))}
      />
      <Field title="Name" value={id.name} write={(name) => edited.rename(idOf({ ...id, name }))} />
    </>
  );
}

interface FieldProps {
  readonly title: string;
  readonly value: string;
  /** Values that are offered. */
  readonly choices?: readonly string[];
  readonly write: (value: string) => void;
}

function Field({ title, value, choices = [], write }: FieldProps): JSX.Element {
  return (
    <label class="design-id">
      <span>{title}</span>
      <input
        value={value}
        spellcheck={false}
        autocomplete="off"
        list={choices.length === 0 ? undefined : 'route-namespaces'}
        onInput={(event) => write(event.currentTarget.value.trim())}
      />
      {choices.length === 0 ? null : (
        <datalist id="route-namespaces">
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </label>
  );
}
