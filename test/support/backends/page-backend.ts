import { EchoBackend } from './echo-backend.ts';

/** An application whose pages say what was asked for and by whom. */
export function startPages(): Promise<EchoBackend> {
  return EchoBackend.start({ host: '127.0.0.1' }, (request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<p>${request.url} for ${request.headers['x-user'] ?? 'nobody'}</p>`);
  });
}
