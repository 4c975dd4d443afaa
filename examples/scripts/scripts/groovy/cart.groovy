// Lets orders pass that have few items, and tells the application how many.
def items = request.entity.json?.items ?: []
if (items.size() > limit) {
  logger.warn('an order of {} items', items.size())
  def response = new Response(Status.BAD_REQUEST)
  response.entity = "at most ${limit} items\n".toString()
  return response
}
request.headers['X-Items'] = items.collect { it.toUpperCase() }.join(', ')
next.handle(context, request).thenOnResult { response ->
  response.headers['X-Orders'] = (globals.orders = (globals.orders ?: 0) + 1) as String
}
