import type { JsonObject } from '../../contract/document/json-value.ts';
import { pathText } from '../../contract/problem.ts';
import { checkDefaultObjects } from '../heap/default-objects.ts';
import { BuildFailure, Heap } from '../heap/heap.ts';
import type { Built } from '../heap/kinds.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import type { CheckedObject } from '../heap/scope.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { documentReading } from '../routes/document-reading.ts';
import { checkAdmin } from './check-admin.ts';

/** The objects that `admin.json` declares for itself, as far as it needs them. They live as long as the unit. */
export class AdminObjects {
  /** What keeps content where no document says; null for the default object. */
  readonly storage: Built['temporaryStorage'] | null;
  private readonly heap: Heap;
  private readonly defaults: Heap;
  private readonly secured: readonly (Built['serverTlsOptions'] | null)[];

  /** @throws Error that says which object cannot be built, and why. */
  constructor(document: JsonObject, catalogue: TypeCatalogue, plane: PlaneServices) {
    const check = { catalogue, reading: documentReading(plane.reach, [document], () => {}), report: (): void => {} };
    this.defaults = new Heap(checkDefaultObjects(check), null, plane);
    const { admin, problems } = checkAdmin(document, this.defaults.scope, check);
    if (admin === null) {
      const first = problems.find(({ severity }) => severity === 'error');
      throw new Error(`admin.json: ${pathText(first?.path ?? [])}: ${first?.message ?? 'is not sound'}`);
    }
    this.heap = new Heap(admin.scope, this.defaults, plane);
    try {
      this.secured = admin.tls.map((object) => this.built<'serverTlsOptions'>(object));
      this.storage = this.built<'temporaryStorage'>(admin.storage);
    } catch (error) {
      this.close();
      if (!(error instanceof BuildFailure)) throw error;
      throw new Error(`admin.json: ${pathText(error.object.path)}: ${error.message}`, { cause: error });
    }
  }

  /** What the connector at this place says to clients before they speak; null for one that is plain. */
  tls(connector: number): Built['serverTlsOptions'] | null {
    return this.secured[connector] ?? null;
  }

  close(): void {
    void this.heap.close().then(() => this.defaults.close());
  }

  private built<K extends keyof Built>(object: CheckedObject | null): Built[K] | null {
    return object === null ? null : (this.heap.get(object) as Built[K]);
  }
}
