import type { Problem } from '../../../contract/problem.ts';
import { type Resource, resourceKey } from '../../../contract/resources/resource.ts';
import type { CertificateFault } from './certificates/certificate-facts.ts';
import { faultPart } from './condition-text.ts';
import { judgeRoute } from './judged-route.ts';
import type { Pass } from './pass.ts';
import { isOnlyPending, type ReferenceFault } from './reference-fault.ts';
import type { ResourceCompiler } from './resource-compiler.ts';
import type { ResourceState } from './resource-state.ts';
import type { RouteRecord } from './route-record.ts';
import { draftRoute, routeIdOf } from './route-resource-draft.ts';
import { nameTaken, notGranted } from './route-verdict.ts';
import { AuditDrafts } from './shared/audit-drafts.ts';
import { ServiceDrafts } from './shared/service-drafts.ts';
import { partsOf, type SharedDraft, SharedDrafts } from './shared/shared-drafts.ts';
import { StoreDrafts } from './store-drafts.ts';

/** Requested change of one resource: its new content, or its deletion. */
export interface ResourceChange {
  readonly operation: 'set' | 'delete';
  readonly resource: Resource;
}

/** Verdict of the compiler on a change. */
export interface ResourceOpinion {
  /** With paths from the top of the resource, `spec` first. */
  readonly problems: readonly Problem[];
  /** What its writer should know although nothing is wrong with the resource, such as a store that is not there yet. */
  readonly notes: readonly string[];
  /** The Routes, as `namespace/name`, that are served now and would not be any more. */
  readonly breaks: readonly string[];
}

const nothing: ResourceOpinion = { problems: [], notes: [], breaks: [] };

/** Judges a change without making it: nothing that the compiler knows is touched. Null before it has judged anything. */
export function judgeChange(
  { operation, resource }: ResourceChange,
  compiler: ResourceCompiler,
): ResourceOpinion | null {
  const { latest: pass } = compiler;
  if (pass === null) return null;
  const isSet = operation === 'set';
  const overlay = (map: ResourceState['routes']): ResourceState['routes'] => {
    const changed = new Map(map);
    if (isSet) changed.set(resourceKey(resource), resource);
    else changed.delete(resourceKey(resource));
    return changed;
  };
  switch (resource.kind) {
    case 'Route':
      return isSet ? routeOpinion(resource, changed(pass, pass.state, compiler), compiler) : nothing;
    case 'SecretStore':
      return sharedOpinion({ ...pass.state, secretStores: overlay(pass.state.secretStores) });
    case 'AuditService':
      return sharedOpinion({ ...pass.state, auditServices: overlay(pass.state.auditServices) });
  }

  function sharedOpinion(state: ResourceState): ResourceOpinion {
    const next = changed(pass!, state, compiler);
    const key = `${resource.kind}/${resourceKey(resource)}`;
    const own = isSet ? opinionOf(next.shared.get(key)) : nothing;
    return { ...own, breaks: broken(compiler, next, (record) => usedBy(record).includes(key)) };
  }
}

/** A pass over other resources, which leaves no trace in the compiler. */
function changed(pass: Pass, state: ResourceState, compiler: ResourceCompiler): Pass {
  const { beyond } = compiler.wantedSecrets(pass.state);
  const { terms, trust } = pass;
  const stores = new StoreDrafts(terms, state, new Map(compiler.storeMemory), beyond);
  const audits = new AuditDrafts(terms, state, stores, new Map(compiler.auditMemory));
  const services = new ServiceDrafts(state, trust, compiler.services.beyond, new Map(compiler.serviceMemory));
  return { ...pass, state, shared: new SharedDrafts(stores, audits, services) };
}

function routeOpinion(resource: Resource, pass: Pass, compiler: ResourceCompiler): ResourceOpinion {
  const { records } = compiler;
  const { trust, takenIds } = pass;
  const tenant = trust.tenantOf(resource.namespace);
  if (tenant === null) return { ...nothing, problems: [atSpec(notGranted(resource))] };
  const { judged, identity } = draftRoute(resource, pass);
  const key = resourceKey(resource);
  const problems = [...judged.problems];
  if (takenIds.has(routeIdOf(resource))) {
    problems.push(nameTaken(identity?.name ?? '', 'a route of the configuration'));
  }
  const isOlder = (other: Resource): boolean => {
    const known = records.get(key)?.resource;
    if (known === undefined) return true;
    return known.created === other.created ? resourceKey(other) < key : other.created < known.created;
  };
  for (const other of records.values()) {
    if (other.key === key || other.tenant !== tenant || other.chosen === null) continue;
    if (other.chosen.identity.name !== identity?.name || !isOlder(other.resource)) continue;
    problems.push(nameTaken(identity.name, `the Route ${other.key}`));
  }
  const notes = [...notesOf(judged.faults), ...notesOf(compiler.certificateFaults(resource, pass))];
  return { problems: problems.map(atSpec), notes, breaks: [] };
}

function opinionOf(draft: SharedDraft | null): ResourceOpinion {
  return { problems: (draft?.problems ?? []).map(atSpec), notes: notesOf(draft?.faults ?? []), breaks: [] };
}

/** What was not read yet is about to be: nobody needs to know that. */
function notesOf(faults: readonly (ReferenceFault | CertificateFault)[]): readonly string[] {
  return faults.filter(({ reason }) => reason !== 'Pending').map(faultPart);
}

/** The keys of the resources of this version and of the one that serves, with those that they need. */
function usedBy({ draft, chosen }: RouteRecord): readonly string[] {
  return [
    ...(draft?.judged.uses ?? []).flatMap(([key, offer]) => [key, ...(offer === null ? [] : partsOf(offer))]),
    ...(chosen?.route?.sources ?? []).map(({ uid }) => uid),
  ];
}

/** The Routes that serve now and would refuse: this version or the one that serves could not have what it refers to. */
function broken({ records }: ResourceCompiler, pass: Pass, isUser: (record: RouteRecord) => boolean): string[] {
  return [...records.values()].flatMap((record) => {
    const { chosen, draft, good, resource, key } = record;
    if ((chosen?.serves !== 'this' && chosen?.serves !== 'last-good') || !isUser(record)) return [];
    const documents = [draft?.document, chosen.serves === 'last-good' ? good?.document : null];
    const isBroken = documents.some((document) => {
      if (document === null || document === undefined) return false;
      const { faults } = judgeRoute(document, chosen.identity.name, resource.namespace, pass);
      return faults.length > 0 && !isOnlyPending(faults);
    });
    return isBroken ? [key] : [];
  });
}

function atSpec(problem: Problem): Problem {
  return { ...problem, path: ['spec', ...problem.path] };
}
