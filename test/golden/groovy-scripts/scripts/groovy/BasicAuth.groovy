return next.handle(context, request)
