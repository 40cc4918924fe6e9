/**
 * Runs several processes on one PostgreSQL server while faults kill and freeze processes, cut the network and restart the server. Then
 * compares the acknowledged runs with the database, the received webhooks and the followed events.
 */
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "svckit/testing";
import { API_KEY, ClusterClient } from "./cluster-client.ts";
import { FaultInjector, type Faults } from "./cluster-faults.ts";
import { ClusterLoad } from "./cluster-load.ts";
import { namespacedNetwork, proxiedNetwork } from "./cluster-network.ts";
import { ClusterNodes } from "./cluster-nodes.ts";
import { ClusterReceiver } from "./cluster-receiver.ts";
import { settle, verdictOn, type Verdict } from "./cluster-verdict.ts";

export interface ClusterOrder extends Faults {
  web: number;
  workers: number;
  graphs: number;
  /** Time over which to spread starts and faults. */
  seconds: number;
  /** Whether half of the worker processes run in a separate network namespace, so that a cut takes down the link to it. */
  hasNamespaces: boolean;
}

export interface ClusterReport extends Verdict {
  acknowledged: number;
  /** Runs whose webhook arrived more than once, under the same id. */
  repeated: number;
  followed: number;
  /** Errors of followers that missed an event or received one twice. */
  misled: string[];
  /** For each kill: the time in milliseconds until the process held no runs and was no longer listed. */
  takeoverMs: number[];
}

/** Runs a statement on a direct connection, and retries while the server is down. */
export type Sql = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

const MOST_TRIES = 100;

function sqlOn(connectionString: string): Sql {
  return async <Row>(text: string, values: unknown[] = []) => {
    for (let tries = 0; ; tries++) {
      const client = new pg.Client({ connectionString });
      client.on("error", () => undefined);
      try {
        await client.connect();
        return (await client.query(text, values)).rows as Row[];
      } catch (error) {
        if (tries > MOST_TRIES) throw error;
        await sleep(100);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };
}

function environmentOf(receiver: ClusterReceiver): NodeJS.ProcessEnv {
  return {
    SVC_SECRET: "a-secret-of-the-chaos-0123456789",
    SVC_EXEC_API_KEY: API_KEY,
    SVC_WEBHOOK_URLS: receiver.url,
    SVC_WEBHOOK_SECRET: "a-webhook-secret-of-the-chaos-0123456789",
    SVC_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8,10.203.0.0/16",
    SVC_LOG_LEVEL: process.env["CLUSTER_LOG"] ?? "silent",
    HOST: "127.0.0.1",
    PORT: "0",
  };
}

export async function runCluster(
  order: ClusterOrder,
  say: (text: string) => void = () => undefined,
): Promise<ClusterReport> {
  const server = await startPostgres();
  const network = await (order.hasNamespaces ? namespacedNetwork(server.url) : proxiedNetwork(server.url));
  const receiver = await ClusterReceiver.open(network.address);
  const nodes = new ClusterNodes(network.locations, environmentOf(receiver));
  const sql = sqlOn(server.url);
  const load = new ClusterLoad(new ClusterClient(nodes));
  const injector = new FaultInjector(nodes, network, server, sql);
  try {
    await nodes.bootAll(order.web, order.workers);
    say("up");
    await Promise.all([
      load.start(order.graphs, order.seconds),
      injector.inject(order, order.seconds, (fault) => say(`${fault} (${load.acknowledged.size} started)`)),
    ]);
    say(`all ${load.acknowledged.size} started`);
    const { arrived } = receiver;
    const evidence = { ids: [...load.acknowledged], arrived, sql };
    await settle(evidence, say);
    const misled = await load.misled();
    return {
      ...(await verdictOn(evidence)),
      acknowledged: load.acknowledged.size,
      repeated: [...arrived.values()].filter((all) => all.length > 1).length,
      followed: load.followed,
      misled,
      takeoverMs: injector.takeoverMs.toSorted((a, b) => a - b),
    };
  } finally {
    load.close();
    nodes.killAll();
    network.close();
    receiver.close();
  }
}
