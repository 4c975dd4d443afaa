import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';

/** What RFC 6455 adds to the key of a client before it is digested. */
const WEBSOCKET = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** An application that fails: `/flaky` hangs up two times out of three, `/broken` always. */
function failingApplication(): Server {
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/broken' || (request.url === '/flaky' && ++asked % 3 !== 0)) request.socket.destroy();
    else response.end(`${request.url} over ${request.headers['x-forwarded-proto']}\n`);
  });
  // every WebSocket hears one sentence and is closed
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${WEBSOCKET}`).digest('base64');
    const sentence = Buffer.from(`${request.url} as a WebSocket over ${request.headers['x-forwarded-proto']}`);
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
    socket.write(`${head.join('\r\n')}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.write(Buffer.concat([Buffer.from([0x81, sentence.length]), sentence, Buffer.from([0x88, 0])]));
    socket.on('error', () => socket.destroy());
    socket.on('data', () => socket.end());
  });
  return server;
}

if (import.meta.main) {
  failingApplication().listen(Number(process.argv[2]), '127.0.0.1', () => {
    process.stdout.write('The application listens. Ctrl-C stops it.\n');
  });
}
