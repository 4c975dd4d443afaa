const CONSISTENT = "'hash' sends requests with the same 'hashKey' to the same endpoint, by a ring";
const LEAST = "'leastRequests' takes the less busy of two endpoints that are drawn at random";
const COOKIE = "'affinityCookie' keeps clients with an endpoint";

/** Names that other gateways have for methods, in lower case and without marks, with what comes closest here. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...['maglev', 'ringhash', 'consistenthash', 'iphash', 'source', 'sourceip', 'urihash', 'hrw', 'rendezvous'].map(
    (name) => [name, CONSISTENT] as const,
  ),
  ...['random', 'leastrequest', 'leastconn', 'leastconnections', 'p2c', 'leasttime', 'ewma', 'peakewma'].map(
    (name) => [name, LEAST] as const,
  ),
  ...['rr', 'wrr', 'staticrr', 'weightedroundrobin'].map((name) => [name, "'roundRobin' heeds weights"] as const),
  ...['cookie', 'sticky', 'session'].map((name) => [name, COOKIE] as const),
]);

/** Says what comes closest to a method of another gateway; undefined for names that nobody knows. */
export function balancingHint(given: string): string | undefined {
  const name = given.toLowerCase().replace(/[-_ ]/g, '');
  return name === 'roundrobin' ? "write 'roundRobin'" : NAMES.get(name);
}
