import { GROUP_LABEL, type PlaneSelector } from '../../compile/resources/resource-verdict.ts';
import { EVERYBODY, type GroupGrants } from '../channel/group-grants.ts';
import type { PlaneIdentity } from '../channel/plane-identity.ts';
import type { RouteSelection } from '../published-state.ts';

/** Parts of a data plane that selection uses. */
export type SelectablePlane = Pick<PlaneIdentity, 'group' | 'namespace' | 'labels' | 'isSidecar'>;

/**
 * Whether a route asks for a plane. A sidecar runs those of its own namespace whose selector asks something of its labels;
 * a selector that asks nothing selects every other plane.
 */
export function isSelected(plane: SelectablePlane, selection: RouteSelection, defaultGroup: string): boolean {
  const { namespace, dataPlanes } = selection;
  if (dataPlanes === null) return !plane.isSidecar && plane.group === defaultGroup;
  if (plane.isSidecar && (plane.namespace === null || plane.namespace !== namespace || asksNothing(dataPlanes))) {
    return false;
  }
  return matches(plane, dataPlanes);
}

/** Whether a plane runs a route: it is selected, and its group is for whom wrote the route. */
export function isServed(
  plane: SelectablePlane,
  selection: RouteSelection,
  { defaultGroup, grants = EVERYBODY }: { readonly defaultGroup: string; readonly grants?: GroupGrants },
): boolean {
  return isSelected(plane, selection, defaultGroup) && grants.serves(plane.group, selection.namespace);
}

/** The keys of the labels that a selector asks about. */
export function askedLabels({ matchLabels, matchExpressions }: PlaneSelector): readonly string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

function asksNothing({ matchLabels, matchExpressions }: PlaneSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}

function matches(plane: SelectablePlane, { matchLabels, matchExpressions }: PlaneSelector): boolean {
  for (const [key, value] of Object.entries(matchLabels)) if (labelOf(plane, key) !== value) return false;
  return matchExpressions.every(({ key, operator, values }) => {
    const value = labelOf(plane, key);
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return operator satisfies never;
    }
  });
}

function labelOf({ group, labels }: SelectablePlane, key: string): string | undefined {
  if (key === GROUP_LABEL) return group;
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
