import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { RoutePermissions } from '../../client/permissions.ts';
import type { EditedRoute } from './edited-route.ts';
import { routeFile, routeManifest, saveFile } from './exported.ts';
import { RouteId } from './route-id.tsx';

export interface DesignToolsProps {
  readonly edited: EditedRoute;
  readonly permissions: RoutePermissions;
  readonly isCluster: boolean;
  /** Tool that keeps the route as its source says; null for none. */
  readonly deliveredBy: string | null;
  /** Called with the id of the route that serves now. */
  readonly deployed: (id: string) => void;
  readonly deleted: () => void;
}

/** The id of the route, and what can be done with the draft. */
export function DesignTools(props: DesignToolsProps): JSX.Element {
  const { edited, permissions, isCluster, deliveredBy, deployed, deleted } = props;
  const { draft, base, id } = edited;
  const [keepsOld, setKeepsOld] = useState(false);
  const isRenamed = base !== null && id !== base.id;
  const reason = reasonAgainst(edited, permissions);
  const warning = useRef<HTMLDialogElement>(null);
  const deploy = async (): Promise<void> => {
    warning.current?.close();
    if (reason === null && (await edited.deploy(isRenamed && !keepsOld))) deployed(edited.base!.id);
  };
  const isForeign = deliveredBy !== null && base !== null;
  return (
    <div class="design-tools">
      <RouteId edited={edited} isCluster={isCluster} />
      {isRenamed ? (
        <label class="check">
          <input type="checkbox" checked={keepsOld} onChange={(event) => setKeepsOld(event.currentTarget.checked)} />
          Keep ‘{base.id}’, too
        </label>
      ) : null}
      <span class="design-actions">
        <button type="button" disabled={!draft.canUndo} onClick={() => draft.undo()}>
          Undo
        </button>
        <button type="button" disabled={!draft.canRedo} onClick={() => draft.redo()}>
          Redo
        </button>
        <Export edited={edited} isCluster={isCluster} />
        {base === null ? null : <Delete edited={edited} permissions={permissions} deleted={deleted} />}
        <button
          type="button"
          class="primary"
          aria-disabled={reason !== null}
          aria-describedby="deploy-reason"
          title={reason ?? undefined}
          onClick={() => (isForeign && reason === null ? warning.current?.showModal() : void deploy())}
        >
          {edited.isBusy ? 'Deploying…' : isRenamed && !keepsOld ? 'Rename and deploy' : 'Deploy'}
        </button>
        <span id="deploy-reason" class="unseen">
          {reason ?? ''}
        </span>
      </span>
      <dialog ref={warning} class="dialog" aria-labelledby="delivered-title">
        <h2 id="delivered-title">{deliveredBy} delivers this route</h2>
        <p>
          {deliveredBy} keeps it as its source says, and may undo this deployment at any time. Change the source, too:
          Export has the Route as YAML.
        </p>
        <p class="dialog-choice">
          <button type="button" onClick={() => warning.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={() => void deploy()}>
            Deploy nevertheless
          </button>
        </p>
      </dialog>
    </div>
  );
}

/** Reason why the draft cannot be deployed now; null if it can. */
function reasonAgainst(edited: EditedRoute, permissions: RoutePermissions): string | null {
  const permission = edited.isNew ? permissions.create : permissions.update;
  if (!permission.allowed) return permission.reason ?? 'You may not change this route';
  if (edited.isBusy) return 'The last action is under way';
  if (edited.id === '') return 'The route needs an id';
  if (edited.draft.faults.length > 0) return 'The text cannot be read';
  if (edited.hasErrors) return 'The document has errors';
  if (edited.conflict !== null) return 'Somebody else changed the route: choose a version first';
  return edited.isChanged ? null : 'There is nothing to deploy';
}

function Export({ edited, isCluster }: Pick<DesignToolsProps, 'edited' | 'isCluster'>): JSX.Element {
  const { id, draft } = edited;
  const menu = useRef<HTMLDetailsElement>(null);
  const isDisabled = draft.faults.length > 0;
  const close = (): void => {
    menu.current!.open = false;
    menu.current!.querySelector('summary')!.focus();
  };
  const save = (file: Parameters<typeof saveFile>[0]): void => {
    saveFile(file);
    close();
  };
  return (
    <details ref={menu} class="menu" onKeyDown={({ key }) => (key === 'Escape' ? close() : undefined)}>
      <summary>Export</summary>
      <div class="menu-items">
        <button type="button" disabled={isDisabled} onClick={() => save(routeFile(id, draft))}>
          Route file (JSON)
        </button>
        <button type="button" disabled={isDisabled} onClick={() => save(routeManifest(id, draft, isCluster))}>
          Route for Kubernetes (YAML)
        </button>
      </div>
    </details>
  );
}

function Delete({
  edited,
  permissions,
  deleted,
}: Pick<DesignToolsProps, 'edited' | 'permissions' | 'deleted'>): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const { allowed, reason } = permissions.delete;
  const confirm = async (): Promise<void> => {
    dialog.current?.close();
    if (await edited.delete()) deleted();
  };
  return (
    <>
      <button
        type="button"
        aria-disabled={!allowed}
        title={reason ?? undefined}
        onClick={() => allowed && dialog.current?.showModal()}
      >
        Delete…
      </button>
      <dialog ref={dialog} class="dialog" aria-labelledby="delete-title">
        <h2 id="delete-title">Delete ‘{edited.base?.id}’?</h2>
        <p>Requests that it takes now go to the next route whose condition matches, or get 404.</p>
        <p class="dialog-choice">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={() => void confirm()}>
            Delete the route
          </button>
        </p>
      </dialog>
    </>
  );
}
