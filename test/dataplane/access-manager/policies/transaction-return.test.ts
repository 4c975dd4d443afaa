import { describe, expect, it } from 'vitest';
import {
  takeTransaction,
  transactionReturn,
} from '../../../../dataplane/access-manager/policies/transaction-return.ts';
import { Uri } from '../../../../dataplane/engine/message/uri.ts';

describe('the id of a confirmed transaction', () => {
  it.each<[string, string | null, string]>([
    ['http://app.test/a', null, 'http://app.test/a'],
    ['http://app.test/a?', null, 'http://app.test/a?'],
    ['http://app.test/a?x=1', null, 'http://app.test/a?x=1'],
    ['http://app.test/a?_txid=7b-8', '7b-8', 'http://app.test/a'],
    ['http://app.test/a?x=1&_txid=7b-8', '7b-8', 'http://app.test/a?x=1'],
    ['http://app.test/a?_txid=7b-8&x=1&x=%20', '7b-8', 'http://app.test/a?x=1&x=%20'],
    ['http://app.test/a?_txid=1&_txid=2', '2', 'http://app.test/a'],
    ['http://app.test/a?my_txid=1', null, 'http://app.test/a?my_txid=1'],
    ['http://app.test/a?_txid', null, 'http://app.test/a?_txid'],
    ['http://app.test/a?_txid=', null, 'http://app.test/a'],
    ['http://app.test/a?_txid=a%0d%0ab', null, 'http://app.test/a'],
    [`http://app.test/a?_txid=${'1'.repeat(300)}`, null, 'http://app.test/a'],
  ])('is taken out of %s', (given, id, left) => {
    const uri = Uri.parse(given);
    expect(takeTransaction(uri)).toBe(id);
    expect(uri.toString()).toBe(left);
  });
});

describe('the URL to come back to', () => {
  it.each<[string, string | null, string]>([
    ['http://app.test/a', null, 'http://app.test/a'],
    ['http://app.test/a?', null, 'http://app.test/a?'],
    ['http://app.test/a?x=1', null, 'http://app.test/a?x=1'],
    ['http://app.test/a', 't1', 'http://app.test/a?_txid=t1'],
    ['http://app.test/a?x=1', 't1', 'http://app.test/a?x=1&_txid=t1'],
    ['http://app.test/a?x=1&_txid=old', 't1', 'http://app.test/a?x=1&_txid=t1'],
    ['http://app.test/a?_txid=old', null, 'http://app.test/a'],
    ['http://app.test/a', 'a&b=c', 'http://app.test/a?_txid=a%26b%3Dc'],
  ])('of %s after the transaction %s is %s', (uri, id, result) => {
    expect(transactionReturn(uri, id)).toBe(result);
  });
});
