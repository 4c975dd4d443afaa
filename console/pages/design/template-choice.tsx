import type { JSX } from 'preact';
import { PageHead } from '../../parts/page-head.tsx';
import { addressOf } from '../../shell/place.ts';
import { TEMPLATES } from './templates.ts';

/** Templates to begin a new route with. */
export function TemplateChoice(): JSX.Element {
  return (
    <div class="page">
      <PageHead title="New route" above={{ title: 'Routes', address: addressOf(['routes']) }}>
        Choose what the route is for. Everything can be changed before it is deployed.
      </PageHead>
      <ul class="templates">
        {TEMPLATES.map(({ id, title, description }) => (
          <li key={id}>
            <a href={addressOf(['routes', 'new'], { template: id })} class="template">
              <span class="template-title">{title}</span>
              <span class="template-text">{description}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
