/**
 * The only way out to the network: a connector that enforces the SSRF policy. The undici clients of webhooks have it, and the undici agent that
 * fetches for workers and actions.
 *
 * The connect is the only place such a rule holds: a check before the request loses to a name that resolves differently
 * the second time (DNS rebinding), and a `lookup` hook alone is never asked about IP literals. So the connector checks
 * literals itself, refuses a name when any of its addresses is refused, connects to the addresses it checked, and looks
 * at the peer's address once connected. An explicit agent ignores the proxy variables; a dispatched request follows no redirect.
 */
import { isIP, Socket, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { parseAddress } from "./address.ts";
import { firstRefusal } from "./check-host.ts";
import { resolveAddresses, type Resolve } from "./resolve.ts";
import { refusalError, type SsrfPolicy } from "./ssrf.ts";

export interface GuardedOptions {
  policy: SsrfPolicy;
  /** Default: DNS, then the hosts file. */
  resolve?: Resolve;
  /** Longest a connect may take, look-up and TLS handshake included. Default 5,000. */
  connectTimeoutMs?: number;
  /** Told as a phase of a connect has ended. */
  onPhase?: (phase: ConnectPhase) => void;
}

/** Name looked up; TCP connected; TLS agreed on. The first not for literals, the last only for https. */
export type ConnectPhase = "dns" | "connect" | "tls";

const CONNECT_TIMEOUT_MS = 5000;
/** What a browser has for one is 6; many workers may ask the same. */
const SOCKETS_PER_ORIGIN = 64;

/** As undici's connectors are. @returns the socket that is to be connected, where there is one already */
export type Connector = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined;

/** An agent that connects only where the policy allows. Requests fail with SvcError `SVC_SSRF` otherwise. Close it after use. */
export function guardedAgent(options: GuardedOptions): Agent {
  const connect = guardedConnector(options);
  // Whoever asks sets one deadline over everything: those of a phase are pushed back by each byte.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  return new Agent({ connect, connections: SOCKETS_PER_ORIGIN, pipelining: 1, allowH2: false, ...timeouts });
}

/** Connects without address rules: for the exempt URL only. What it connects is never to be handed to a guarded request. */
export function exemptConnector(options: Omit<GuardedOptions, "policy">): Connector {
  const connect = buildConnector({ timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, allowH2: false });
  return (target, callback) => socketOf(connect(target, callback));
}

/** undici's connectors give the socket, and their type doesn't say so. */
function socketOf(given: unknown): Socket | undefined {
  return given instanceof Socket ? given : undefined;
}

/** Connects only where the policy allows; fails with SvcError `SVC_SSRF` otherwise. */
export function guardedConnector(options: GuardedOptions): Connector {
  const { policy, onPhase } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: guardedLookup(policy, options.resolve ?? resolveAddresses, onPhase),
    autoSelectFamily: true,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0, set for something else, doesn't open this. NODE_EXTRA_CA_CERTS is the way.
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const literal = parseAddress(target.hostname) && policy.checkAddress(target.hostname, target.hostname);
    if (literal && !literal.ok) {
      callback(refusalError(literal), null);
      return undefined;
    }
    const connecting = socketOf(
      connect(target, (error, socket) => {
        if (error) return callback(error, null);
        if (target.protocol === "https:") onPhase?.("tls");
        const peer = policy.checkAddress(socket.remoteAddress ?? "", target.hostname);
        if (peer.ok) return callback(null, socket);
        socket.destroy();
        callback(refusalError(peer), null);
      }),
    );
    if (onPhase) connecting?.once("connect", () => onPhase("connect"));
    return connecting;
  };
}

/** A `lookup` for node:net that hands on only names whose every address passes. */
function guardedLookup(policy: SsrfPolicy, resolve: Resolve, onPhase: GuardedOptions["onPhase"]): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    resolve(hostname).then(
      (addresses) => {
        onPhase?.("dns");
        const refusal = firstRefusal(policy, hostname, addresses);
        if (refusal) return callback(refusalError(refusal), []);
        const [first] = addresses;
        if (first === undefined) return callback(new Error(`"${hostname}" has no address`), []);
        if (lookupOptions.all)
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}
