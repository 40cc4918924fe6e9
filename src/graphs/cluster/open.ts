/** Opens the cluster by the URL of its database. Loaded only if there is one. */
import { readPostgresUrl } from "../../storage/postgres/connection/driver.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";
import type { MemberProfile } from "./membership.ts";
import { openDatabase } from "./open-database.ts";
import { identifierOf, nameOf } from "./job-names.ts";

export interface OpenOptions extends Omit<ClusterOptions, "database" | "identifiers" | "profile"> {
  profile: Omit<MemberProfile, "definitions">;
  /** Definitions that this process can execute. */
  definitions: readonly { name: string; version: string | undefined; hash: string }[];
}

/** @param databaseUrl `postgres://…?schema=…` @throws SvcError `SVC_CONFIG` */
export async function openCluster(databaseUrl: string, { definitions, ...options }: OpenOptions): Promise<Cluster> {
  const { url, schema } = readPostgresUrl(databaseUrl);
  const exact = definitions.map(({ name, version, hash }) => identifierOf(name, version, hash));
  const names = new Set(definitions.flatMap(({ name, version }) => [nameOf(name, version), nameOf(name, undefined)]));
  const profile = { ...options.profile, definitions: options.isRunner ? exact : [] };
  return new Cluster({
    ...options,
    profile,
    identifiers: [...exact, ...names],
    database: await openDatabase(url, schema),
  });
}
