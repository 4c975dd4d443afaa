import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { changeableHeader } from '../engine/head/changeable-header.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { defineFilter } from '../heap/definition.ts';

/** The names under which products look for a transaction id: a client's value under one of them is not ours. */
const KNOWN_NAMES = ['X-Vendor-TransactionId', 'X-ForgeRock-TransactionId'];

/** How many requests were sent on behalf of an exchange, whichever filter numbered them. */
const sent = new WeakMap<Exchange, number>();

/** Sends the transaction id of a request to backends. */
export const transactionIdOutboundFilter = defineFilter({
  type: 'TransactionIdOutboundFilter',
  summary:
    'Sends the transaction id of the request to the backend as `<id>/<n>`, where n counts the outgoing requests ' +
    'of one incoming request from 0. A transaction id of the client is not passed on.',
  config: z.strictObject({
    headerName: changeableHeader(text())
      .default('X-Vendor-TransactionId')
      .describe(
        'Request header that carries the id. Access managers that expect the older name need `X-ForgeRock-TransactionId`.',
      ),
  }),
  examples: [
    { title: 'Under the default name', config: {} },
    {
      title: 'For an access manager that expects the older header name',
      config: { headerName: 'X-ForgeRock-TransactionId' },
    },
  ],
  create(config) {
    return function tellTransaction(exchange, next) {
      const { headers } = exchange.request;
      for (const name of KNOWN_NAMES) headers.delete(name);
      const count = sent.get(exchange) ?? 0;
      sent.set(exchange, count + 1);
      headers.set(config.headerName, `${exchange.transactionId}/${count}`);
      return next(exchange);
    };
  },
});
