import { z } from 'zod';
import { textResponse } from '../engine/message/response.ts';
import { defineHandler } from '../heap/definition.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatewarden</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1.5rem; color: #222; }
h1 { font-size: 1.8rem; }
code, pre { background: #f3f3f3; border-radius: 4px; padding: 0.1rem 0.3rem; }
pre { padding: 1rem; overflow: auto; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } code, pre { background: #2a2a2a; } }
</style>
</head>
<body>
<h1>Gatewarden is running</h1>
<p>Gatewarden is an identity-aware gateway: it stands in front of applications, decides who may reach them, and passes
their requests on. No route takes this request yet.</p>
<h2>What to do next</h2>
<ol>
<li>Write a route to <code>config/routes/hello.json</code> in the directory that Gatewarden was started with:
<pre>{
  "condition": "\${find(request.uri.path, '^/hello')}",
  "baseURI": "http://localhost:8081",
  "handler": "ReverseProxyHandler"
}</pre></li>
<li>Look for mistakes with <code>gatewarden check DIR</code>.</li>
<li>Ask for <code>/hello</code> here: a new route takes requests as soon as it is seen.</li>
</ol>
<p><code>gatewarden types</code> lists what a route can be made of, and <code>gatewarden explain TYPE</code> tells more
about each.</p>
</body>
</html>
`;

/** Answers with a page for people who have just started. */
export const welcomeHandler = defineHandler({
  type: 'WelcomeHandler',
  summary: 'Answers every request with a page that says what Gatewarden is and what to do next.',
  config: z.strictObject({}),
  examples: [{ title: 'With all defaults', config: {} }],
  create() {
    return () => {
      const response = textResponse(200, PAGE, 'text/html; charset=UTF-8');
      response.headers.append('Cache-Control', 'no-store');
      response.headers.append('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'");
      return response;
    };
  },
});
