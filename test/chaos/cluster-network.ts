/**
 * How the processes of a cluster reach their database, and how that way is cut: a TCP proxy that ends its connections, or a link between two
 * network namespaces that is taken down, so that nobody is told and packets are lost.
 */
import { execFileSync } from "node:child_process";
import { tcpProxy } from "./tcp-proxy.ts";

/** Where processes stand. */
export interface Place {
  databaseUrl: string;
  /** The command that starts another there. */
  start(command: string, args: readonly string[]): { command: string; args: readonly string[] };
}

const startHere: Place["start"] = (command, args) => ({ command, args });

export interface Network {
  /** The first is this process's own; whoever serves stands there. */
  places: readonly [Place, ...Place[]];
  /** Where receivers of webhooks listen: reached from every place. */
  address: string;
  cut(): void;
  close(): void;
}

/** Longest that a link is down in most cuts: connections live through it. */
const SHORT_MS = 3000;
/** Longer than others are patient with a process (membership.ts). */
const LONG_MS = 13_000;

export async function proxiedNetwork(serverUrl: string): Promise<Network> {
  const proxy = await tcpProxy(Number(new URL(serverUrl).port));
  return {
    places: [{ databaseUrl: addressed(serverUrl, "127.0.0.1", proxy.port), start: startHere }],
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

/** Why there are no namespaces here; undefined where there are. */
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

/** A second place behind a link of its own; the database and this process stay where they are. */
export async function namespacedNetwork(serverUrl: string): Promise<Network> {
  const name = `svc-${process.pid}`;
  const [here, there] = [`svca${process.pid}`, `svcb${process.pid}`];
  const subnet = `10.203.${process.pid % 250}`;
  // On the loopback, so that it is there for this side while the link is down.
  const address = `${subnet}.5`;
  const undo = (): void => {
    for (const step of [`netns del ${name}`, `addr del ${address}/32 dev lo`])
      try {
        ip(step);
      } catch {
        // It was not made.
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
  // The server listens on the loopback alone.
  const proxy = await tcpProxy(Number(new URL(serverUrl).port), address);
  let timer: NodeJS.Timeout | undefined;
  return {
    places: [
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
