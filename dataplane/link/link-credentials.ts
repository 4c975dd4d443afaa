import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import { type ChannelCredentials, type ClientOptions, credentials, Metadata } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES } from '../../contract/channel-codec.ts';
import { errorCode } from '../../platform/error-code.ts';

/** Where a plane finds what it shows to controllers, and what it knows them by. Files are read for every connection. */
export interface LinkFiles {
  /** Certificates of the authorities that controllers may be certified by; by default those that the runtime trusts. */
  readonly ca: string | undefined;
  /** The same certificates in PEM, in place of a file. */
  readonly authorities?: string | undefined;
  /** A token, alone in its file. */
  readonly token: string | undefined;
  /** The plane's own certificate with its chain, and its key. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** Credentials of one connection. */
export interface LinkCredentials {
  readonly channel: ChannelCredentials;
  readonly metadata: Metadata;
  readonly options: ClientOptions;
  /** The authorities of the file or the variable as they are now, in PEM; null where the runtime's are trusted. */
  readonly own: string | null;
}

/** Authorities that a controller told of. */
export interface ToldBeside {
  /** In PEM. */
  readonly authorities: string;
  /** What the plane trusted by itself when it was told. */
  readonly own: string | null;
}

/** A name in place of an address, which TLS cannot ask for. */
const NAMELESS = 'gatewarden-controller';

/**
 * Reads the files as they are now.
 * @param host the name or address that the controller's certificate must be for
 * @param told authorities that count beside those of the files for as long as these stay the same: whoever takes one out
 * of the file wants it trusted no longer
 */
export async function linkCredentials(
  files: LinkFiles,
  host: string,
  told: ToldBeside | null,
): Promise<LinkCredentials> {
  const [file, certificate, key, token] = await Promise.all(
    [files.ca, files.certificate, files.key, files.token].map((path) =>
      path === undefined ? null : readFile(path).catch((error: unknown) => unreadable(path, error)),
    ),
  );
  const ca = files.authorities === undefined ? file : Buffer.from(files.authorities);
  // a file without one would be taken for a file with none that matches
  if (ca !== null && !ca?.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(`${files.ca ?? 'the list of trusted CAs'} contains no certificate`);
  const metadata = new Metadata();
  if (token !== null) metadata.set('authorization', `Bearer ${tokenText(token, files.token)}`);
  // without authorities of its own the plane trusts those of the runtime, and nobody who says others
  const own = ca === null || ca === undefined ? null : String(ca);
  const trusted = own === null || told?.own !== own ? ca : Buffer.from(`${own}\n${told.authorities}`);
  const channel = credentials.createSsl(trusted, key, certificate, {
    checkServerIdentity: (_, presented) => checkServerIdentity(host, presented),
  });
  const name = isIP(host) === 0 ? host : NAMELESS;
  return {
    channel,
    metadata,
    own,
    options: {
      'grpc.ssl_target_name_override': name,
      'grpc.default_authority': name,
      'grpc.use_local_subchannel_pool': 1, // every connection shows what the files hold now
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      'grpc.service_config_disable_resolution': 1,
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    },
  };
}

function tokenText(bytes: Buffer | undefined | null, path: string | undefined): string {
  const text = bytes?.toString('utf8').trim() ?? '';
  // the text is not shown: whatever it is, it was meant to be a secret
  if (!/^[A-Za-z0-9._~+/=-]+$/.test(text)) throw new Error(`${path} contains no token`);
  return text;
}

function unreadable(path: string, error: unknown): never {
  throw new Error(`${path} cannot be read: ${errorCode(error) ?? String(error)}`);
}
