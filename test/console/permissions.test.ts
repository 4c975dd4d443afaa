import { describe, expect, it } from 'vitest';
import { unknownPermissions } from '../../console/client/permissions.ts';
import { ROUTE_ACTIONS } from '../../contract/shown/shown-permissions.ts';

describe('permissions that are not known', () => {
  it('allow no operation, and say why', () => {
    const permissions = unknownPermissions('not known');
    for (const action of ROUTE_ACTIONS) {
      expect([action, permissions[action]]).toEqual([action, { allowed: false, reason: 'not known' }]);
    }
  });
});
