import type { JSX } from 'preact';
import { usePoll } from '../../client/use-poll.ts';
import { routeStates } from '../../client/watched.ts';
import type { Place } from '../../shell/place.ts';
import { RoutePage } from '../route/route-page.tsx';
import { LateDesign } from './late-design.tsx';
import { RouteList } from './route-list.tsx';

/** The list of routes, one of them, or the page that edits one. */
export function RoutesPage({ place }: { readonly place: Place }): JSX.Element {
  const [, route, part] = place.steps;
  // A route may have the id that stands for a new one.
  const states = usePoll(routeStates).value ?? [];
  const isNew = route === 'new' && part === undefined && !states.some((state) => state.route === route);
  if (route === undefined) return <RouteList query={place.query} />;
  if (part === 'edit') return <LateDesign place={place} route={route} />;
  if (isNew || (route === 'new' && (place.query.has('template') || place.query.has('deleted'))))
    return <LateDesign place={place} route={null} />;
  return <RoutePage route={route} router={place.query.get('router')} />;
}
