import { z } from 'zod';
import { text } from '../../contract/vocabulary/configured.ts';
import { changeableHeader } from '../engine/head/changeable-header.ts';
import type { Exchange } from '../engine/message/exchange.ts';
import { defineFilter } from '../heap/definition.ts';

/** The names under which products look for a transaction id: a client's value under one of them is not ours. */
const KNOWN_NAMES = ['X-Vendor-TransactionId', 'X-ForgeRock-TransactionId'];

/** How many requests were sent on behalf of an exchange, whichever filter numbered them. */
const sent = new WeakMap<Exchange, number>();

/** Tells backends which transaction a request belongs to. */
export const transactionIdOutboundFilter = defineFilter({
  type: 'TransactionIdOutboundFilter',
  summary:
    "Sends the exchange's transaction id to the backend as `<id>/<n>`, where n counts from 0 the requests that are " +
    'sent for one incoming request. A transaction id that the client sent is not passed on.',
  config: z.strictObject({
    headerName: changeableHeader(text())
      .default('X-Vendor-TransactionId')
      .describe(
        'Request header that carries the id. Access managers that expect the older name need `X-ForgeRock-TransactionId`.',
      ),
  }),
  examples: [
    { title: 'Under the default name', config: {} },
    { title: 'For an access manager that knows the older name', config: { headerName: 'X-ForgeRock-TransactionId' } },
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
