/**
 * The network between the processes of a cluster and their database, with a way to cut it: either a TCP proxy that closes its connections,
 * or a link between two network namespaces that is taken down, so that packets are lost without any notice.
 */
import { execFileSync } from "node:child_process";
import { tcpProxy } from "./tcp-proxy.ts";

/** A location of processes in the network. */
export interface Location {
  databaseUrl: string;
  /** Wraps a command so that it runs in this location. */
  start(command: string, args: readonly string[]): { command: string; args: readonly string[] };
}

const startHere: Location["start"] = (command, args) => ({ command, args });

export interface Network {
  /** The first location is that of this process; web processes run there. */
  locations: readonly [Location, ...Location[]];
  /** Address for webhook receivers, reachable from every location. */
  address: string;
  cut(): void;
  close(): void;
}

/** Maximum duration of most cuts; connections survive them. */
const SHORT_MS = 3000;
/** Longer than the time after which processes are considered dead (membership.ts). */
const LONG_MS = 13_000;

export async function proxiedNetwork(serverUrl: string): Promise<Network> {
  const proxy = await tcpProxy(Number(new URL(serverUrl).port));
  return {
    locations: [{ databaseUrl: addressed(serverUrl, "127.0.0.1", proxy.port), start: startHere }],
    address: "127.0.0.1",
    cut: () => proxy.cut(),
    close: () => proxy.close(),
  };
}

function addressed(serverUrl: string, host: string, port: number): string {
  const url = new URL(serverUrl);
  [url.hostname, url.port] = [host, String(port)];
  return url.href;
}

const ip = (text: string): string => execFileSync("ip", text.split(" "), { encoding: "utf8", stdio: "pipe" });

/** Why network namespaces are not available; undefined if they are. */
export function whyNoNamespaces(): string | undefined {
  const name = `svc-look-${process.pid}`;
  try {
    ip(`netns add ${name}`);
    ip(`netns del ${name}`);
    return undefined;
  } catch (error) {
    return `network namespaces need Linux, iproute2 and root: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** Adds a second location behind a link of its own. The database and this process stay in the first. */
export async function namespacedNetwork(serverUrl: string): Promise<Network> {
  const name = `svc-${process.pid}`;
  const [here, there] = [`svca${process.pid}`, `svcb${process.pid}`];
  const subnet = `10.203.${process.pid % 250}`;
  // On the loopback interface, so that it remains reachable on this side while the link is down.
  const address = `${subnet}.5`;
  const undo = (): void => {
    for (const step of [`netns del ${name}`, `addr del ${address}/32 dev lo`])
      try {
        ip(step);
      } catch {
        // It was not created.
      }
  };
  try {
    for (const step of [
      `netns add ${name}`,
      `addr add ${address}/32 dev lo`,
      `link add ${here} type veth peer name ${there}`,
      `link set ${there} netns ${name}`,
      `addr add ${subnet}.1/30 dev ${here}`,
      `link set ${here} up`,
      `-n ${name} addr add ${subnet}.2/30 dev ${there}`,
      `-n ${name} link set ${there} up`,
      `-n ${name} link set lo up`,
      `-n ${name} route add default via ${subnet}.1`,
    ])
      ip(step);
  } catch (error) {
    undo();
    throw error;
  }
  // The server listens only on the loopback interface.
  const proxy = await tcpProxy(Number(new URL(serverUrl).port), address);
  let timer: NodeJS.Timeout | undefined;
  return {
    locations: [
      { databaseUrl: serverUrl, start: startHere },
      {
        databaseUrl: addressed(serverUrl, address, proxy.port),
        start: (command, args) => ({ command: "ip", args: ["netns", "exec", name, command, ...args] }),
      },
    ],
    address,
    cut: () => {
      if (timer) return;
      ip(`link set ${here} down`);
      const forMs = Math.random() < 0.3 ? LONG_MS : Math.random() * SHORT_MS;
      timer = setTimeout(() => {
        timer = undefined;
        ip(`link set ${here} up`);
      }, forMs);
    },
    close: () => {
      clearTimeout(timer);
      proxy.close();
      undo();
    },
  };
}
