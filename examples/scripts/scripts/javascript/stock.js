// Answers questions for articles that are gone, and says how many are left of others.
const left = stock[request.queryParams.get('article') ?? ''] ?? 0;
if (left === 0) return new Response(410, { body: { error: 'sold out' } });

request.headers.set('X-Left', String(left));
const response = await next(request);
globals.asked = (globals.asked ?? 0) + 1;
response.headers.set('X-Asked', String(globals.asked));
return response;
