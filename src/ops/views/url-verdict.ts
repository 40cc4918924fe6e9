/** What is thought of an address that somebody wants to be told at, in words. Pure. */
import type { App } from "../../index.ts";
import { VARIABLES } from "../../internal.ts";

type Judgement = Awaited<ReturnType<App["webhooks"]["judge"]>>;

/** Kinds of addresses as people call them; the others are told by their rule's own name. */
const KINDS: Readonly<Record<string, string>> = {
  public: "on the public internet",
  private: "of a private network",
  shared: "of a provider's shared network",
  loopback: "of this very machine (loopback)",
  "link-local": "of the local link, where clouds keep their metadata",
  "cloud-metadata": "of a cloud's metadata service",
  "this-network": "of this network itself",
  "not-global": "that is not global",
  documentation: "reserved for documentation",
  "multicast-or-reserved": "for multicast, or reserved",
};

/** Where it leads, whether it may be called, and why. */
export function urlVerdictText({ ok, host, classes, rule, detail }: Judgement): string {
  const kinds = classes.map((name) => KINDS[name] ?? `of the kind "${name}"`).join(", and to one ");
  const leads = kinds === "" ? "" : `${host ?? ""} leads to an address ${kinds}. `;
  if (!ok) return `${leads}Refused by the rule "${rule ?? ""}": ${detail ?? ""}.`;
  if (leads === "")
    return `${host ?? ""} leads to no address at present. It can be added: the address is judged again at each attempt.`;
  const isExempt = classes.some((name) => name !== "public");
  const exempt = `It is allowed by the exempt ranges (${VARIABLES.webhookAllowCidrs}), or is this app's own inbox.`;
  return `${leads}${isExempt ? exempt : "It may be called."} The address is judged again at each attempt.`;
}
