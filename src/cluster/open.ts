/** Opens a process of a cluster by the URL of its database. Loaded where there is one only. */
import { Cluster, type ClusterOptions } from "./cluster.ts";
import { openDatabase } from "./open-database.ts";
import { identifierOf } from "./task.ts";

export interface OpenOptions extends Omit<ClusterOptions, "database" | "identifiers"> {
  /** Definitions of graphs that this process can go on with. */
  definitions: readonly { name: string; version: string | undefined }[];
}

/** @param databaseUrl `postgres://…?schema=…` */
export async function openCluster(databaseUrl: string, { definitions, ...options }: OpenOptions): Promise<Cluster> {
  const { url, schema } = readPostgresUrl(databaseUrl);
  const identifiers = definitions.map(({ name, version }) => identifierOf(name, version));
  return new Cluster({ ...options, identifiers, database: await openDatabase(url, schema) });
}

/** The parameters `schema` and `connections` are the store's. */
function readPostgresUrl(databaseUrl: string): { url: string; schema: string } {
  const url = new URL(databaseUrl);
  const schema = url.searchParams.get("schema") ?? "svc";
  url.searchParams.delete("schema");
  url.searchParams.delete("connections");
  return { url: url.href, schema };
}
