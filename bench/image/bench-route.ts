/** A Route as people write them: a condition, a filter and an answer. */
export function benchRoute(at: number): object {
  const filter = { type: 'HeaderFilter', config: { messageType: 'RESPONSE', add: { 'X-Bench': [`${at}`] } } };
  const handler = { type: 'StaticResponseHandler', config: { status: 200, entity: 'x' } };
  return {
    condition: `\${find(request.uri.path, '^/r${at}/')}`,
    handler: { type: 'Chain', config: { filters: [filter], handler } },
  };
}
