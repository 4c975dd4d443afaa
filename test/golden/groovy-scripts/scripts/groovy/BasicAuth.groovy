def credentials = "${username}:secret".bytes.encodeBase64()
request.headers['Authorization'] = "Basic ${credentials}"
if (request.uri.path == '/' {
  logger.info('signed in')
}
return next.handle(context, request)
