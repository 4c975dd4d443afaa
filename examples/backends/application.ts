import { createServer } from 'node:http';

/** An application that answers with its name, so that the page can show which endpoint got a request. */
function startNamed(port: number, name: string): void {
  createServer((_request, response) => response.end(`${name}\n`)).listen(port, '127.0.0.1', () => {
    process.stdout.write(`The application '${name}' listens. Ctrl-C stops it.\n`);
  });
}

if (import.meta.main) startNamed(Number(process.argv[2]), String(process.argv[3]));
