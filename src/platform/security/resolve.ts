/**
 * All addresses of a name. Owns the budget of one resolution. Not: which addresses are allowed (ssrf.ts).
 *
 * DNS goes through c-ares, not `dns.lookup`: getaddrinfo runs on the four threads that file access shares, so a few dead
 * name servers would stop every delivery. `dns.lookup` is asked second, for names of the hosts file, and only when
 * c-ares got a definite "no such name" or has no server to ask.
 */
/** @returns every address of the name, at least one. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Longest one DNS query may take. */
const DNS_TIMEOUT_MS = 2000;

/** Answers that mean "not in DNS", as opposed to "nobody answered". */
const DEFINITE = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

/** Resolves by DNS, then by the hosts file. */
export async function resolveAddresses(hostname: string): Promise<string[]> {
  // Loaded here: most processes resolve no name.
  const { Resolver, lookup } = await import("node:dns/promises");
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  const vague = answers.find((answer) => answer.status === "rejected" && !DEFINITE.has(codeOf(answer.reason)));
  if (vague?.status === "rejected") throw vague.reason;
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
