// What `helm test` runs: makes a Route for each group of planes, waits until all its planes run it, calls it through the
// Service of the group, and deletes it. It has nothing but Node.js, and the rights of its own ServiceAccount.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';

const { groups, timeoutSeconds, hints } = JSON.parse(readFileSync(new URL('./settings.json', import.meta.url), 'utf8'));
const account = '/var/run/secrets/kubernetes.io/serviceaccount';

const failures = [];
for (const group of groups) {
  try {
    if (group.problem !== '') throw new Error(group.problem);
    await tryGroup(group);
  } catch (error) {
    failures.push(`group ${group.name}: ${error.message}`);
  }
}
for (const failure of failures) console.error(`FAILED: ${failure}`);
if (failures.length > 0) for (const hint of hints) console.error(`hint: ${hint}`);
else console.log('all groups of planes serve Routes');
process.exitCode = failures.length > 0 ? 1 : 0;

async function tryGroup({ name: group, url, namespace, host }) {
  const routes = `/apis/gatewarden.io/v1alpha1/namespaces/${namespace}/routes`;
  const word = randomBytes(8).toString('hex');
  const name = `gatewarden-test-${group}-${word}`;
  const path = `/gatewarden-test/${word}`;
  const route = {
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'helm-test' } },
    spec: {
      condition: `\${request.uri.path == '${path}'}`,
      dataPlanes: { matchLabels: { 'gatewarden.io/group': group } },
      handler: {
        type: 'StaticResponseHandler',
        config: { status: 200, headers: { 'Content-Type': ['text/plain'] }, entity: word },
      },
    },
  };
  await create(routes, route);
  console.log(`group ${group}: made the Route ${namespace}/${name}`);
  try {
    await programmed(`${routes}/${name}`);
    console.log(`group ${group}: all planes run it`);
    if (url === '') {
      console.log(`group ${group}: it has no Service, so that nothing is called`);
      return;
    }
    await called(new URL(path, url), host, word);
    console.log(`group ${group}: ${url} answers, for the host ${host}`);
  } finally {
    const { status } = await api('DELETE', `${routes}/${name}`);
    if (status >= 300) console.error(`group ${group}: the Route ${namespace}/${name} is still there: delete it`);
  }
}

async function create(routes, route) {
  const { status, body } = await api('POST', routes, route);
  if (status === 404) throw new Error('the cluster has no kind Route: install the chart gatewarden-crds');
  if (status >= 300) throw new Error(`the Route cannot be made: ${messageOf(body)}`);
}

async function programmed(path) {
  let last = 'nobody has judged the Route: do controllers run, and do they follow its namespace?';
  const isProgrammed = await within(async () => {
    const { status, body } = await api('GET', path);
    if (status !== 200) {
      last = `the Route cannot be read: ${messageOf(body)}`;
      return false;
    }
    const conditions = JSON.parse(body).status?.conditions ?? [];
    const open = conditions.filter(({ status: holds }) => holds !== 'True');
    if (open.length > 0) last = open.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).join('; ');
    return conditions.some(({ type, status: holds }) => type === 'Programmed' && holds === 'True');
  });
  if (!isProgrammed) throw new Error(`not Programmed within ${timeoutSeconds} s: ${last}`);
}

/** A Service may need a moment to know its Pods. */
async function called(url, host, expected) {
  let last = 'nothing answered';
  const isAnswered = await within(async () => {
    try {
      const { status, body } = await exchange(url, { headers: { host }, servername: host, rejectUnauthorized: false });
      if (status === 200 && body === expected) return true;
      throw new Error(`${status} ${body.slice(0, 500)}`);
    } catch (error) {
      last = error.message === '' ? error.code : error.message;
      return false;
    }
  });
  if (!isAnswered) throw new Error(`${url.origin} for the host ${host} does not answer as the Route says: ${last}`);
}

async function within(isDone) {
  const end = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    if (await isDone()) return true;
    if (performance.now() > end) return false;
    await pause(250);
  }
}

function messageOf(body) {
  try {
    return JSON.parse(body).message ?? body;
  } catch {
    return body;
  }
}

function api(method, path, content) {
  const { KUBERNETES_SERVICE_HOST: server, KUBERNETES_SERVICE_PORT: port } = process.env;
  const authority = server.includes(':') ? `[${server}]` : server;
  const headers = { authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`, accept: 'application/json' };
  if (content !== undefined) headers['content-type'] = 'application/json';
  const settings = { method, headers, ca: readFileSync(`${account}/ca.crt`) };
  return exchange(new URL(path, `https://${authority}:${port}`), settings, JSON.stringify(content));
}

function exchange(url, settings, content) {
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...settings, agent: false, timeout: 5000 }, (answer) => {
      let body = '';
      answer.setEncoding('utf8');
      answer.on('data', (text) => {
        body += text;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, body }));
      answer.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer within 5 s')));
    asked.on('error', reject);
    asked.end(content);
  });
}
