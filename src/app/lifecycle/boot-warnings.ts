/** Warnings about valid settings that contradict each other or the mode. The app starts with them. */
import { hostName, isLoopbackName } from "../../platform/security/exposure.ts";
import { VARIABLES } from "../../platform/shared/wire.ts";
import type { Config } from "./config.ts";

type Judged = Pick<Config, "isProduction" | "siteOrigin" | "allowedHosts" | "trustedProxies">;

/**
 * @param hasOwnServer whether svc itself listens, which it does without TLS
 * @returns one text for each problem: what is wrong, its effect, and the fix
 */
export function bootWarnings(config: Judged, hasOwnServer: boolean): string[] {
  const { isProduction, siteOrigin, allowedHosts, trustedProxies } = config;
  if (!isProduction) return [];
  const warnings: string[] = [];
  if (siteOrigin === undefined && allowedHosts.length === 0)
    warnings.push(
      `${VARIABLES.siteUrl} and ${VARIABLES.allowedHosts} are not set: the app answers only for localhost and its own address, and other hosts get 421. Set ${VARIABLES.siteUrl} to the public URL of the site`,
    );
  const isHttps = siteOrigin?.startsWith("https:") === true;
  if (isHttps && hasOwnServer && trustedProxies.size === 0)
    warnings.push(
      `${VARIABLES.siteUrl} begins with https:, but this server has no TLS and ${VARIABLES.trustProxy} is not set: all visitors have the address of the proxy in front, and share its rate limits. Set ${VARIABLES.trustProxy} to the addresses of the proxy`,
    );
  if (siteOrigin !== undefined && !isHttps && !isLoopbackName(hostName(new URL(siteOrigin).host)))
    warnings.push(
      `${VARIABLES.siteUrl} begins with http: in production: cookies are sent without encryption, and there is no HSTS. Use https:`,
    );
  return warnings;
}
