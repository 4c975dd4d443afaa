import { type AmAnswer, type AmCall, amError, apiVersion } from './am-call.ts';
import { type HeldSessions, universalId } from './am-sessions.ts';

export interface AmUser {
  readonly password: string;
  /** Attributes of the profile beside `uid`. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
}

export const DEMO = { username: 'demo', password: 'changeit' };
export const AGENT = { username: 'gateway', password: 'the-password-of-gateway' };
export const ADMIN = { username: 'amadmin', password: 'the-password-of-amadmin' };

export interface IdentityOptions {
  /** Users by name; by default `demo`. */
  readonly users?: Readonly<Record<string, AmUser>>;
  /** Passwords of agents by name; by default of `gateway`. */
  readonly agents?: Readonly<Record<string, string>>;
  /** Where agents log in: the module `Application`, or the tree `Agent` of newer versions; by default both. */
  readonly agentLogin?: 'module' | 'service';
}

/** Users, agents and their profiles, with `/json/authenticate` and `/json/users`. */
export class AmIdentities {
  readonly users = new Map<string, AmUser>();
  readonly agents = new Map<string, string>();
  /** Whether agents may read profiles: with OpenAM an administrator has to grant it. */
  agentsReadProfiles = true;
  private readonly agentLogin: IdentityOptions['agentLogin'];
  private readonly sessions: HeldSessions;
  private readonly cookieName: string;

  constructor(options: IdentityOptions, sessions: HeldSessions, cookieName: string) {
    const { users = { [DEMO.username]: DEMO }, agents = { [AGENT.username]: AGENT.password } } = options;
    for (const [name, user] of Object.entries(users)) this.users.set(name, user);
    for (const [name, password] of Object.entries(agents)) this.agents.set(name, password);
    this.agentLogin = options.agentLogin;
    this.sessions = sessions;
    this.cookieName = cookieName;
  }

  /** The kind of a user with this password; null for nobody. */
  user(name: string, password: string): 'user' | 'admin' | null {
    if (name === ADMIN.username) return password === ADMIN.password ? 'admin' : null;
    return this.users.get(name)?.password === password ? 'user' : null;
  }

  authenticate(call: AmCall): AmAnswer {
    if (call.method !== 'POST') return amError(405, 'Method Not Allowed');
    const version = apiVersion(call, 'resource');
    if (version !== null && !/^[12]\.\d+$/.test(version)) return amError(404, 'Resource not found');
    const name = call.headers['x-openam-username'];
    const password = call.headers['x-openam-password'];
    if (typeof name !== 'string' || typeof password !== 'string') {
      return {
        status: 200,
        body: { authId: 'eyJ0eXAiOiJKV1QifQ.e30.', template: '', stage: 'DataStore1', callbacks: CALLBACKS },
      };
    }
    const kind = this.isForAgents(call.query)
      ? this.agents.get(name) === password
        ? 'agent'
        : null
      : this.user(name, password);
    if (kind === null) return amError(401, 'Authentication Failed');
    const session = this.sessions.create(name, { kind, realm: call.realm! });
    return {
      status: 200,
      headers: { 'Set-Cookie': `${this.cookieName}=${session.tokenId}; Path=/` },
      body: { tokenId: session.tokenId, successUrl: '/openam/console', realm: session.realm },
    };
  }

  /** The profile of a user, for agents, administrators and the user. */
  profile(call: AmCall): AmAnswer {
    const name = decodeURIComponent(call.path.slice('/json/users/'.length));
    const caller = this.sessions.caller(call);
    if (caller === null) return amError(401, 'Access Denied');
    const mayRead =
      caller.kind === 'agent' ? this.agentsReadProfiles : caller.kind === 'admin' || caller.username === name;
    if (!mayRead) {
      return amError(403, `Permission to perform the read operation denied to ${universalId(caller)}`);
    }
    const user = this.users.get(name);
    if (user === undefined) return amError(404, 'Resource cannot be found.');
    const profile = { username: name, realm: call.realm, uid: [name], ...user.attributes };
    const fields = call.query.get('_fields')?.split(',');
    const members = Object.entries(profile).filter(([member]) => fields === undefined || fields.includes(member));
    return { status: 200, body: { _id: name, _rev: '1', ...Object.fromEntries(members) } };
  }

  private isForAgents(query: URLSearchParams): boolean {
    const at = `${query.get('authIndexType')} ${query.get('authIndexValue')}`;
    return (
      (at === 'module Application' && this.agentLogin !== 'service') ||
      (at === 'service Agent' && this.agentLogin !== 'module')
    );
  }
}

const CALLBACKS = [
  {
    type: 'NameCallback',
    output: [{ name: 'prompt', value: 'User Name:' }],
    input: [{ name: 'IDToken1', value: '' }],
  },
  {
    type: 'PasswordCallback',
    output: [{ name: 'prompt', value: 'Password:' }],
    input: [{ name: 'IDToken2', value: '' }],
  },
];
