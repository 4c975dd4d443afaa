import type { JSX } from 'preact';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import { listOf } from '../../../contract/document/lenient-parts.ts';
import { usePoll } from '../../client/use-poll.ts';
import { type OpenResource, secretStores } from '../../client/watched.ts';
import { counted } from '../../parts/figures.ts';
import { Empty, Shown } from '../../parts/notes.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { addressOf } from '../../shell/place.ts';

/** Secret stores with the ids of their secrets. The gateway sends no secrets here. */
export function SecretStoresPage(): JSX.Element {
  const known = usePoll(secretStores);
  return (
    <div class="page">
      <PageHead title="Secret stores" at={known.at}>
        {known.value === null ? null : <span>{counted(known.value.length, 'store')}</span>}
        <span>secrets themselves are never shown</span>
      </PageHead>
      <Shown known={known} what="secret stores" retry={secretStores.refresh}>
        {(stores) =>
          stores.length === 0 ? (
            <Empty title="No document declares a secret store">
              <p>Keys and passwords come from secret stores, such as a FileSystemSecretStore.</p>
            </Empty>
          ) : (
            <StoreTable stores={stores} />
          )
        }
      </Shown>
    </div>
  );
}

function StoreTable({ stores }: { readonly stores: readonly OpenResource[] }): JSX.Element {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Store</th>
          <th scope="col">Type</th>
          <th scope="col">Declared in</th>
          <th scope="col">Place</th>
          <th scope="col">Lease</th>
          <th scope="col">Secret ids</th>
        </tr>
      </thead>
      <tbody>
        {stores.map((store) => (
          <tr key={store._id}>
            <td>{textIn(store['name']) ?? store._id}</td>
            <td>{textIn(store['type']) ?? '–'}</td>
            <td>
              <DeclaredIn route={textIn(store['route'])} />
            </td>
            <td>
              <code>{textIn(store['file']) ?? textIn(store['directory']) ?? textIn(store['jwkUrl']) ?? '–'}</code>
            </td>
            <td>{textIn(store['leaseExpiry']) ?? '–'}</td>
            <td>
              <span class="ids">
                {listOf(store['secretIds']).map((id) => (
                  <code key={String(id)}>{String(id)}</code>
                ))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DeclaredIn({ route }: { readonly route: string | null }): JSX.Element {
  return route === null ? <code>config.json</code> : <a href={addressOf(['routes', route])}>{route}</a>;
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}
