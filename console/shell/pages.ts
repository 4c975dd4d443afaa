import { AuditPage } from '../pages/audit/audit-page.tsx';
import { ExplainPage } from '../pages/explain/explain-page.tsx';
import { PlanesPage } from '../pages/planes/planes-page.tsx';
import { RoutesPage } from '../pages/routes/routes-page.tsx';
import { SecretStoresPage } from '../pages/secret-stores/secret-stores-page.tsx';
import type { Page } from './page.ts';

/** Pages in the order of the navigation; the first one is shown at the root. */
export const PAGES: readonly [Page, ...Page[]] = [
  { step: 'routes', title: 'Routes', View: RoutesPage },
  { step: 'explain', title: 'Explain', View: ExplainPage },
  { step: 'planes', title: 'Data planes', View: PlanesPage },
  { step: 'secret-stores', title: 'Secret stores', View: SecretStoresPage },
  { step: 'audit', title: 'Audit', View: AuditPage },
];
