import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KeystoreType } from '../../../dataplane/secrets/keystore/read-keystore.ts';
import { programPath } from '../programs/debian-program.ts';
import { runProgram } from '../programs/run-program.ts';
import { certificateAuthority } from './certificates.ts';
import type { KeystoreRow, KnownKeystore } from './keystore-rows.ts';

const REPORT = fileURLToPath(new URL('./keystore-report.java', import.meta.url));
/** Java takes the words of a command line for text only where the locale says what text is. */
const ENV = { ...process.env, LC_ALL: 'C.UTF-8' };
const PASSWORD = 'password';
const UNICODE = 'pä☺-𝄞';

/** Which keystore, and how it is opened. */
export interface FreshKeystore extends Omit<KnownKeystore, 'java17' | 'here'> {
  /** Java refuses it, and we read the same as in this one. */
  readonly like?: string;
}

/** Makes keystores of every kind with keytool and openssl in a folder. @throws when one of the programs fails */
export async function makeKeystores(folder: string): Promise<readonly FreshKeystore[]> {
  const made: FreshKeystore[] = [];
  const add: Add = (file, type, storePassword = PASSWORD, entryPassword = storePassword, more = {}) =>
    void made.push({ file, type, storePassword, entryPassword, ...more });
  await makeWithKeytool(folder, add);
  await makeWithOpenssl(folder, add);
  for (const type of ['PKCS12', 'JCEKS'] as const) {
    const file = `secret-keys.${type.toLowerCase()}`;
    await report([`make\t${type}\t${join(folder, file)}\t:${PASSWORD}\t:of the entry`]);
    add(file, type);
    add(file, type, PASSWORD, 'of the entry');
  }
  return made;
}

type Add = (
  file: string,
  type: KeystoreType,
  storePassword?: string | null,
  entryPassword?: string | null,
  more?: Pick<FreshKeystore, 'like'>,
) => void;

async function makeWithKeytool(folder: string, add: Add): Promise<void> {
  const keytool = (words: readonly string[], input?: string) => run('keytool', folder, words, input);
  const into = (file: string) => ['-keystore', file, '-storepass', PASSWORD];
  const pairs = { RsaKey: ['RSA', '-keysize', '2048'], ec: ['EC'], ed: ['Ed25519'], dsa: ['DSA'], 'größe ☺': ['EC'] };
  for (const [alias, words] of Object.entries(pairs)) {
    await keytool(['-genkeypair', ...into('all.p12'), '-alias', alias, '-dname', 'CN=x', '-keyalg', ...words]);
  }
  for (const words of [
    ['aes', '-keyalg', 'AES', '-keysize', '256'],
    ['Mac', '-keyalg', 'HmacSHA256', '-keysize', '256'],
  ]) {
    await keytool(['-genseckey', ...into('all.p12'), '-alias', ...words]);
  }
  await keytool(['-importpass', ...into('all.p12'), '-alias', 'api-key'], 'the api key\nthe api key\n');
  await keytool(['-exportcert', ...into('all.p12'), '-alias', 'ec', '-file', 'ec.der']);
  await keytool(['-importcert', '-noprompt', ...into('all.p12'), '-alias', 'Trusted', '-file', 'ec.der']);
  add('all.p12', 'PKCS12');
  add('all.p12', 'PKCS12', 'wrong');

  const source = ['-importkeystore', '-noprompt', '-srckeystore', 'all.p12', '-srcstorepass', PASSWORD];
  const copy = async (file: string, type: KeystoreType, password: string, more: readonly string[] = []) => {
    await keytool([...more, ...source, '-destkeystore', file, '-deststoretype', type, '-deststorepass', password]);
  };
  await copy('all.jks', 'JKS', UNICODE);
  add('all.jks', 'JKS', UNICODE, PASSWORD);
  add('all.jks', 'JKS', null, PASSWORD);
  add('all.jks', 'JKS', UNICODE);
  await copy('all.jceks', 'JCEKS', UNICODE);
  add('all.jceks', 'JCEKS', UNICODE, PASSWORD);
  add('all.jceks', 'JCEKS', UNICODE);
  await copy('legacy.p12', 'PKCS12', PASSWORD, ['-J-Dkeystore.pkcs12.legacy']);
  add('legacy.p12', 'PKCS12');
  const property = (name: string, value: string) => `-J-Dkeystore.pkcs12.${name}=${value}`;
  for (const hash of ['SHA1', 'SHA224', 'SHA384', 'SHA512']) {
    const file = `hmac-${hash.toLowerCase()}.p12`;
    await copy(file, 'PKCS12', PASSWORD, [
      property('macAlgorithm', `HmacPBE${hash}`),
      property('keyProtectionAlgorithm', `PBEWithHmac${hash}AndAES_128`),
    ]);
    add(file, 'PKCS12');
  }
  const bare = [property('macAlgorithm', 'NONE'), property('certProtectionAlgorithm', 'NONE')];
  await copy('bare.p12', 'PKCS12', PASSWORD, bare);
  add('bare.p12', 'PKCS12');
  add('bare.p12', 'PKCS12', null, PASSWORD);
  const own = ['-alias', 'k', '-keyalg', 'EC', '-dname', 'CN=x', '-keystore', 'own.jceks', '-storetype', 'JCEKS'];
  await keytool(['-genkeypair', ...own, '-storepass', PASSWORD, '-keypass', 'of the entry']);
  add('own.jceks', 'JCEKS', PASSWORD, 'of the entry');
  add('own.jceks', 'JCEKS', PASSWORD, UNICODE);
}

async function makeWithOpenssl(folder: string, add: Add): Promise<void> {
  const root = certificateAuthority('Root');
  const middle = root.intermediate('Middle');
  const { pem } = middle.issue({ names: ['here'], keyType: 'rsa' });
  writeFileSync(join(folder, 'chain.pem'), pem + root.certificate);
  const openssl = async (file: string, words: readonly string[], password: string = PASSWORD, like?: string) => {
    const always = ['pkcs12', '-export', '-in', 'chain.pem', '-out', file, '-passout', `pass:${password}`];
    await run('openssl', folder, [...always, ...words]);
    add(file, 'PKCS12', password, password, like === undefined ? {} : { like });
  };
  writeFileSync(join(folder, 'leaf.pem'), middle.issue({ names: ['here'] }).pem);
  const leaf = ['-in', 'leaf.pem', '-iter', '1', '-nomac', '-name', 'a'];
  await openssl('quick-new.p12', leaf);
  await openssl('quick-old.p12', ['-legacy', ...leaf]);
  await openssl('chain.p12', ['-name', 'Chain']);
  await openssl('unnamed.p12', []);
  await openssl('sha512.p12', ['-macalg', 'sha512', '-iter', '10000', '-name', 'a']);
  await openssl('no-mac.p12', ['-nomac', '-name', 'a']);
  await openssl('empty-password.p12', ['-name', 'a'], '');
  await openssl('unicode.p12', ['-legacy', '-name', 'a'], UNICODE, 'no-mac.p12');
  await openssl('plain.p12', ['-keypbe', 'NONE', '-certpbe', 'NONE', '-name', 'a']);
  const mixed = ['-keypbe', 'DES-EDE3-CBC', '-certpbe', 'AES-192-CBC', '-name', 'a'];
  await openssl('des-ede3.p12', mixed, PASSWORD, 'no-mac.p12');
  for (const cipher of ['SHA1-RC2-40', 'SHA1-RC2-128', 'SHA1-RC4-40', 'SHA1-RC4-128', 'SHA1-3DES', 'SHA1-2DES']) {
    const pbe = `PBE-${cipher}`;
    const words = ['-legacy', '-keypbe', pbe, '-certpbe', pbe, '-name', 'a'];
    await openssl(`${cipher.toLowerCase()}.p12`, words, PASSWORD, cipher === 'SHA1-2DES' ? 'no-mac.p12' : undefined);
  }
}

/** What Java reads in keystores, in their order. */
export async function javaRows(
  folder: string,
  keystores: readonly FreshKeystore[],
): Promise<readonly (readonly KeystoreRow[] | null)[]> {
  const cell = (password: string | null): string => (password === null ? '-' : `:${password}`);
  const lines = keystores.map(({ type, file, storePassword, entryPassword = storePassword }) =>
    ['read', type, join(folder, file), cell(storePassword), cell(entryPassword)].join('\t'),
  );
  const answers = (await report(lines)).trim().split('\n');
  return answers.map((line) => JSON.parse(line) as readonly KeystoreRow[] | null);
}

async function report(lines: readonly string[]): Promise<string> {
  return run('java', '.', ['-Dfile.encoding=UTF-8', REPORT], `${lines.join('\n')}\n`);
}

async function run(
  program: 'java' | 'keytool' | 'openssl',
  cwd: string,
  words: readonly string[],
  input?: string,
): Promise<string> {
  const options = { cwd, env: ENV, ...(input === undefined ? {} : { input }) };
  const { code, stdout, stderr } = await runProgram(programPath(program), words, options);
  if (code !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}
