import { Client, Metadata } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../../../contract/channel-codec.ts';
import type { PeerStreamOptions } from './peer-stream.ts';

/** Milliseconds that the leader may take to answer. */
const TIMEOUT = 3000;

export interface LeaderQuestion {
  /** Null where the method says it all. */
  readonly question?: Buffer | null;
  readonly timeout?: number;
}

/** Asks the leader something that has one answer. @throws Error when it does not answer in time, or refuses */
export async function askLeader(
  options: PeerStreamOptions,
  address: string,
  method: string,
  { question = null, timeout = TIMEOUT }: LeaderQuestion = {},
): Promise<Buffer> {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${await options.token()}`);
  const client = new Client(address, options.credentials(), {
    // As for the stream to the leader: its own connection, where the Lease says, and nowhere else.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
    'grpc.service_config_disable_resolution': 1,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    ...options.channelOptions,
  });
  const asIs = (bytes: Buffer): Buffer => bytes;
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + timeout;
      const call = client.makeBidiStreamRequest(method, asIs, asIs, metadata, { deadline });
      call.on('data', (bytes: Buffer) => {
        resolve(bytes);
        call.cancel();
      });
      if (question !== null) call.write(question);
      call.on('error', reject);
      call.on('end', () => reject(new Error('the leader did not answer')));
    });
  } finally {
    client.close();
  }
}
