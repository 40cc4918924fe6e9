/**
 * The hosts for which an app answers, and whether its visitors use HTTPS. Without such a rule, a foreign `Host` would end up in links of
 * pages and mails, and a name that was pointed at this machine would open the app of a developer (DNS rebinding). Decision 084.
 */
import { remembered } from "../shared/collections/memoize.ts";
import { PATHS } from "../shared/wire.ts";
import { hostName, isLoopbackName } from "./exposure.ts";

export interface SiteRulesOptions {
  /** `SVC_SITE_URL`: `https://shop.example`. */
  siteOrigin: string | undefined;
  /** `SVC_ALLOWED_HOSTS`: `shop.example`, `shop.example:8080`, `*.shop.example`. */
  allowedHosts: readonly string[];
  isProduction: boolean;
}

/** Load balancers and monitoring request these by address. They use no host, and answer nothing or operators only. */
const WITHOUT_HOST: ReadonlySet<string> = new Set([PATHS.health, PATHS.ready, PATHS.status, PATHS.metrics]);

const WILDCARD = "*.";

export class SiteRules {
  readonly #isProduction: boolean;
  readonly #isHttps: boolean;
  readonly #takesLoopback: boolean;
  readonly #names = new Set<string>();
  /** Ends of allowed names, from the dot: `.shop.example`. */
  readonly #ends: string[] = [];
  #verdictOf = remembered((host) => this.#decide(host));

  constructor({ siteOrigin, allowedHosts, isProduction }: SiteRulesOptions) {
    this.#isProduction = isProduction;
    this.#isHttps = siteOrigin?.startsWith("https:") === true;
    this.#takesLoopback = !isProduction || siteOrigin === undefined;
    if (siteOrigin !== undefined) {
      const { host, hostname } = new URL(siteOrigin);
      // Many proxies forward the name without its port.
      this.#names.add(host).add(hostname);
    }
    for (const entry of allowedHosts) this.allow(entry);
  }

  /** Adds an entry of `SVC_ALLOWED_HOSTS`. */
  allow(entry: string): void {
    if (entry.startsWith(WILDCARD)) this.#ends.push(entry.slice(1));
    else this.#names.add(entry);
    this.#forget();
  }

  /** Adds the address on which the app itself listens. @param url `http://127.0.0.1:3000` */
  listensAt(url: string): void {
    const { host, hostname, port } = new URL(url);
    this.#names.add(host);
    if (isLoopbackName(hostName(hostname)))
      for (const name of ["localhost", "127.0.0.1", "[::1]"]) this.#names.add(port === "" ? name : `${name}:${port}`);
    this.#forget();
  }

  #forget(): void {
    this.#verdictOf = remembered((text) => this.#decide(text));
  }

  /** @param host with its port, if it has one; must be the text of a host */
  allows(host: string): boolean {
    return this.#verdictOf(host);
  }

  /** Whether a path answers for every host. In development no path does, because of DNS rebinding. */
  ignoresHostAt(path: string): boolean {
    return this.#isProduction && WITHOUT_HOST.has(path);
  }

  /** Whether responses for this host must be made for HTTPS, even if the request does not show it: cookies and HSTS. */
  impliesHttps(host: string | undefined): boolean {
    return this.#isHttps && (this.#isProduction || !isLoopbackHost(host));
  }

  /** The same for the URL of the request. The address of the server itself has no TLS. */
  impliesHttpsUrl(host: string | undefined): boolean {
    return this.#isHttps && !isLoopbackHost(host);
  }

  #decide(given: string): boolean {
    const host = given.toLowerCase();
    if (this.#takesLoopback && isLoopbackHost(host)) return true;
    if (this.#names.has(host)) return true;
    // A name without a port stands for the default ports.
    const name = host.replace(/:(?:80|443)$/, "");
    return this.#names.has(name) || this.#ends.some((end) => name.length > end.length && name.endsWith(end));
  }
}

function isLoopbackHost(host: string | undefined): boolean {
  return isLoopbackName(hostName(host));
}
