import { credentials } from '@grpc/grpc-js';
import type { PeerStreamOptions } from '../../publish/peers/peer-stream.ts';
import { peerToken } from './peer-token.ts';

/** How this controller speaks with the leader: by which name it knows it, and how it shows that it is a controller too. */
export function peerStreamOptions(
  serverNames: readonly string[],
  authorities: () => string,
  secret: () => string,
): PeerStreamOptions {
  const [name] = serverNames;
  return {
    credentials: () => credentials.createSsl(Buffer.from(authorities())),
    ...(name !== undefined && { channelOptions: { 'grpc.ssl_target_name_override': name } }),
    token: () => peerToken(secret(), Date.now()),
  };
}
