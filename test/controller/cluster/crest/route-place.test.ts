import { describe, expect, it } from 'vitest';
import { CrestError } from '../../../../contract/crest/crest-error.ts';
import { readQueryFilter } from '../../../../contract/crest/query-filter.ts';
import { namedNamespaces } from '../../../../controller/cluster/crest/named-namespaces.ts';
import { readRouteId } from '../../../../controller/cluster/crest/route-place.ts';

describe('the id of a Route', () => {
  it('ends its namespace at the first dot', () => {
    expect(readRouteId('shop.orders')).toEqual({ namespace: 'shop', name: 'orders' });
    expect(readRouteId('shop.orders.v2')).toEqual({ namespace: 'shop', name: 'orders.v2' });
  });

  it.each([
    [null],
    [''],
    ['orders'],
    ['.orders'],
    ['shop.'],
    ['shop..orders'],
    ['Shop.orders'],
    ['shop.Orders'],
    ['shop/orders'],
    ['shop.orders/status'],
    ['shop.../../secrets'],
    ['shop.orders%2f'],
    ['shop.a b'],
    [`${'n'.repeat(64)}.orders`],
    [`shop.${'n'.repeat(254)}`],
  ])('rejects %j', (id) => {
    expect(() => readRouteId(id)).toThrow(CrestError);
  });
});

describe('the namespaces that a filter names', () => {
  it.each([
    ['_id sw "shop."', ['shop']],
    ['_id sw "SHOP.or"', ['shop']],
    ['_id eq "shop.orders" and name pr', ['shop']],
    ['name pr and (_id sw "shop." or _id sw "bank.")', ['shop', 'bank']],
    ['_id sw "shop." and _id sw "bank."', []],
    ['_id sw "shop." or name pr', null],
    ['_id sw "shop"', null],
    ['_id co "shop."', null],
    ['! (_id sw "shop.")', null],
    ['name eq "shop.orders"', null],
    ['true', null],
  ])('of %j are %j', (filter, expected) => {
    const found = namedNamespaces(readQueryFilter(filter));
    expect(found && [...found]).toEqual(expected);
  });
});
