import { randomUUID } from 'node:crypto';
import {
  amFetch,
  type Credentials,
  logIn,
  TOKEN_HEADER,
  version,
  type WireAnswer,
  type WirePolicy,
  type WireTarget,
} from '../../support/access-manager/wire-target.ts';

/** What tests know about the shared OpenAM. */
export interface OpenamAccess {
  readonly url: string;
  readonly administrator: Credentials;
  readonly agent: Credentials;
}

/** The user that every OpenAM has after its installation. */
const DEMO: Credentials = { username: 'demo', password: 'changeit' };
/** The built-in type of resources that are URLs. */
const URL_RESOURCES = '76656a38-5f8e-401b-83aa-4ccb74ce88d2';

/** The shared OpenAM as wire cases and tests through the gateway use it. */
export class OpenamTarget implements WireTarget {
  readonly url: string;
  readonly agent: Credentials;
  readonly user = DEMO;
  private readonly administrator: Credentials;

  constructor({ url, agent, administrator }: OpenamAccess) {
    this.url = url;
    this.agent = agent;
    this.administrator = administrator;
  }

  /** Creates the agent that gateways log in as. */
  static async withAgent(url: string, administrator: Credentials): Promise<OpenamAccess> {
    const agent = { username: 'gateway', password: randomUUID() };
    const target = new OpenamTarget({ url, agent, administrator });
    await target.administer('POST', '/json/agents?_action=create', '1.0', {
      username: agent.username,
      agenttype: ['J2EEAgent'],
      userpassword: [agent.password],
      serverurl: [url],
      agenturl: ['http://127.0.0.1:80/app'],
    });
    return { url, agent, administrator };
  }

  async setPolicy(policy: WirePolicy): Promise<void> {
    const { name, resource, actions, attributes = {}, authLevel } = policy;
    const body = {
      name,
      active: true,
      applicationName: 'iPlanetAMWebAgentService',
      resourceTypeUuid: URL_RESOURCES,
      resources: [resource],
      actionValues: actions,
      subject: { type: 'AuthenticatedUsers' },
      ...(authLevel !== undefined && { condition: { type: 'AuthLevel', authLevel } }),
      resourceAttributes: Object.entries(attributes).map(([propertyName, propertyValues]) => ({
        type: 'Static',
        propertyName,
        propertyValues,
      })),
    };
    const made = await this.asAdministrator('POST', '/json/policies?_action=create', '2.0', body);
    if (made.status === 409) await this.administer('PUT', `/json/policies/${encodeURIComponent(name)}`, '2.0', body);
    else if (made.status !== 201) throw new Error(`no policy: ${made.status} ${JSON.stringify(made.body)}`);
  }

  async deletePolicy(name: string): Promise<void> {
    await this.administer('DELETE', `/json/policies/${encodeURIComponent(name)}`, '2.0');
  }

  /** Creates a module that asks for the password and gives this level of authentication. */
  async setModule(name: string, authenticationLevel: number): Promise<void> {
    const path = '/json/realm-config/authentication/modules/datastore?_action=create';
    const made = await this.asAdministrator('POST', path, '1.0', { _id: name, authenticationLevel });
    if (made.status !== 201 && made.status !== 409) {
      throw new Error(`no module: ${made.status} ${JSON.stringify(made.body)}`);
    }
  }

  /** Creates a realm whose sessions are client-side: tokens that OpenAM keeps only a list of the ended ones of. */
  async setClientSideRealm(name: string): Promise<void> {
    const made = await this.asAdministrator('POST', '/json/realms?_action=create', '1.0', { realm: `/${name}` });
    if (made.status !== 201 && made.status !== 409) throw new Error(`no realm: ${made.status}`);
    const settings = `/json/${name}/realm-config/authentication`;
    await this.change(settings, 'general', { statelessSessionsEnabled: true });
    const denylisting = { 'openam-session-stateless-enable-session-blacklisting': true };
    await this.change('/json/global-config/services/session', 'stateless', denylisting);
  }

  /** Changes members of one section of a configuration. */
  private async change(path: string, section: string, members: object): Promise<void> {
    const { status, body } = await this.asAdministrator('GET', path, '1.0');
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    const settings = body as Readonly<Record<string, object>>;
    await this.administer('PUT', path, '1.0', { ...settings, [section]: { ...settings[section], ...members } });
  }

  private async administer(method: string, path: string, resource: string, body?: object): Promise<void> {
    const answer = await this.asAdministrator(method, path, resource, body);
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  private async asAdministrator(method: string, path: string, resource: string, body?: object): Promise<WireAnswer> {
    const token = await logIn(this, this.administrator);
    return amFetch(this.url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...version(resource), [TOKEN_HEADER]: token },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}
