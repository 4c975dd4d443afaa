import { realmPath } from './realm.ts';

/** Addresses of an access manager. */
export class AmEndpoints {
  readonly url: string;
  readonly realm: string;
  private readonly root: string;

  /** @param url the base URL without a slash at the end */
  constructor(url: string, realm: string) {
    this.url = url;
    this.realm = realm;
    this.root = `${url}/json/realms/root/`;
  }

  oauth2(name: string, realm = this.realm): string {
    return `${this.url}/oauth2${realmPath(realm)}/${name}`;
  }

  json(path: string, realm = this.realm): string {
    return `${this.url}/json${realmPath(realm)}/${path}`;
  }

  /** An address that belongs to no realm. */
  ofServer(path: string): string {
    return `${this.url}/json/${path}`;
  }

  /** Writes an address from `json` as versions have it that know realms only as `/json/customers`. */
  withPlainRealm(uri: string): string {
    if (!uri.startsWith(this.root)) return uri;
    const steps = uri.slice(this.root.length).split('/');
    let at = 0;
    let realm = '';
    for (; steps[at] === 'realms' && at + 2 < steps.length; at += 2) realm += `/${steps[at + 1]}`;
    return `${this.url}/json${realm}/${steps.slice(at).join('/')}`;
  }
}
