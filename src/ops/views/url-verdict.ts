/** Describes the policy's verdict about a webhook URL. Pure. */
import type { App } from "../../index.ts";
import { VARIABLES } from "../../internal.ts";

type Judgement = Awaited<ReturnType<App["webhooks"]["judge"]>>;

/** Descriptions of address classes. Other classes are shown by their name. */
const KINDS: Readonly<Record<string, string>> = {
  public: "on the public internet",
  private: "of a private network",
  shared: "of a provider's shared network",
  loopback: "of this machine (loopback)",
  "link-local": "of the local link, where clouds keep their metadata",
  "cloud-metadata": "of a cloud's metadata service",
  "this-network": "of this network itself",
  "not-global": "that is not global",
  documentation: "reserved for documentation",
  "multicast-or-reserved": "for multicast, or reserved",
};

/** The address class, whether requests are allowed, and why. */
export function urlVerdictText({ ok, host, classes, rule, detail }: Judgement): string {
  const kinds = classes.map((name) => KINDS[name] ?? `of the class "${name}"`).join(", and to one ");
  const leads = kinds === "" ? "" : `${host ?? ""} resolves to an address ${kinds}. `;
  if (!ok) return `${leads}Rejected by the rule "${rule ?? ""}": ${detail ?? ""}.`;
  if (leads === "")
    return `${host ?? ""} currently resolves to no address. You can add it: the address is checked again at each attempt.`;
  const isExempt = classes.some((name) => name !== "public");
  const exempt = `It is allowed because it is in the exempt ranges (${VARIABLES.webhookAllowCidrs}), or because it is this app's own inbox.`;
  return `${leads}${isExempt ? exempt : "It is allowed."} The address is checked again at each attempt.`;
}
