import { describe, expect, it } from 'vitest';
import { problemsOf, type SeenRequest, startFiltered } from '../../support/gateways/filtered-gateway.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

function sent({ headers }: SeenRequest, name = 'x-vendor-transactionid'): string[] {
  return headers.filter(([field]) => field === name).map(([, value]) => value);
}

describe('TransactionIdOutboundFilter', () => {
  it('sends the transaction id of the exchange and the number of the request', async () => {
    const { ask, seen } = await startFiltered([
      'TransactionIdOutboundFilter',
      {
        type: 'HeaderFilter',
        config: { messageType: 'RESPONSE', add: { 'X-Id': ['${contexts.transactionId.transactionId.value}'] } },
      },
    ]);
    const first = await ask('/a');
    const second = await ask('/b');
    const ids = [first, second].map((answer) => answer.values('x-id')[0]);
    expect(ids[0]).toMatch(new RegExp(`^${UUID}$`));
    expect(ids[0]).not.toBe(ids[1]);
    expect(seen.map((request) => sent(request))).toEqual(ids.map((id) => [`${id}/0`]));
  });

  it('counts every request that is sent for one exchange, whichever filter numbers it', async () => {
    const handler = { type: 'ReverseProxyHandler', baseURI: 'http://app.test' };
    const call = (filter: string | object) => ({
      handler: { type: 'Chain', config: { filters: [filter], handler } },
      postcondition: true,
    });
    const bindings = [call('TransactionIdOutboundFilter'), call({ type: 'TransactionIdOutboundFilter' })];
    const { ask, seen } = await startFiltered(
      [],
      JSON.parse(JSON.stringify({ type: 'SequenceHandler', config: { bindings } })),
    );
    expect((await ask('/')).status).toBe(200);
    expect(seen.map((request) => sent(request)[0]!.split('/')[1])).toEqual(['0', '1']);
    expect(new Set(seen.map((request) => sent(request)[0]!.split('/')[0])).size).toBe(1);
  });

  it.each(['X-Vendor-TransactionId', 'X-ForgeRock-TransactionId'])('does not pass on %s of a client', async (name) => {
    const { ask, seen } = await startFiltered([{ type: 'TransactionIdOutboundFilter' }]);
    await ask('/', { headers: [`${name}: forged`] });
    expect(seen[0]!.headers.filter(([, value]) => value === 'forged')).toEqual([]);
    expect(sent(seen[0]!)).toHaveLength(1);
  });

  it('uses the configured header name', async () => {
    const headerName = 'X-ForgeRock-TransactionId';
    const { ask, seen } = await startFiltered([{ type: 'TransactionIdOutboundFilter', config: { headerName } }]);
    await ask('/', { headers: ['X-Forgerock-Transactionid: forged'] });
    expect(sent(seen[0]!)).toEqual([]);
    expect(sent(seen[0]!, 'x-forgerock-transactionid')).toEqual([expect.stringMatching(`^${UUID}/0$`)]);
  });

  it.each([
    [{ headerName: 'a b' }, ["value headerName: 'a b' is not the name of a header"]],
    [{ header: 'X' }, ["unknown-field header: there is no field 'header' here"]],
  ])('refuses %j', (config, problems) => {
    expect(problemsOf('TransactionIdOutboundFilter', config)).toEqual(problems);
  });
});
