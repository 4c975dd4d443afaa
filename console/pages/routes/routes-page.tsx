import type { JSX } from 'preact';
import type { Place } from '../../shell/place.ts';
import { RoutePage } from '../route/route-page.tsx';
import { RouteList } from './route-list.tsx';

/** The list of routes, or one of them. */
export function RoutesPage({ place }: { readonly place: Place }): JSX.Element {
  const [, route] = place.steps;
  return route === undefined ? (
    <RouteList query={place.query} />
  ) : (
    <RoutePage route={route} router={place.query.get('router')} />
  );
}
