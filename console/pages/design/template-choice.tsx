import type { JSX } from 'preact';
import { deletedRoutes } from '../../client/deleted-routes.ts';
import { usePoll } from '../../client/use-poll.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { dayAndTime, zoneName } from '../../parts/times.ts';
import { addressOf } from '../../shell/place.ts';
import { TEMPLATES } from './templates.ts';

const MOST_DELETED = 30;

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
      <Deleted />
    </div>
  );
}

/** Routes that were deleted, which can be made again. */
function Deleted(): JSX.Element | null {
  const deleted = usePoll(deletedRoutes).value ?? [];
  if (deleted.length === 0) return null;
  return (
    <section aria-labelledby="deleted-title">
      <h2 id="deleted-title" class="deleted-title">
        Or restore a deleted route
      </h2>
      <ul class="templates">
        {deleted.slice(0, MOST_DELETED).map(({ _id, route, at }) => (
          <li key={_id}>
            <a href={addressOf(['routes', 'new'], { deleted: _id })} class="template">
              <span class="template-title">{route}</span>
              <span class="template-text" title={`Time zone ${zoneName()}`}>
                deleted {dayAndTime(new Date(at))}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
