/**
 * Resolves all addresses of a name, within a time limit. ssrf.ts decides which addresses are allowed.
 *
 * DNS uses c-ares instead of `dns.lookup`: getaddrinfo runs on the four threads that file access shares, so a few unresponsive
 * name servers would block every delivery. `dns.lookup` is the fallback for names of the hosts file, only if c-ares reported a definite
 * "no such name" or has no server.
 */
/** @returns every address of the name, at least one. Rejects if there is none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Timeout of one DNS query. */
const DNS_TIMEOUT_MS = 2000;

/** Errors that mean "not in DNS", in contrast to an unresponsive server. */
const DEFINITE = new Set(["ENOTFOUND", "ENODATA", "ECONNREFUSED"]);

/** Resolves by DNS, then by the hosts file. */
export async function resolveAddresses(hostname: string): Promise<string[]> {
  // Imported on demand: most processes resolve no name.
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
