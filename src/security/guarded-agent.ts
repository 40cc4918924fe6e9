/**
 * The only way webhooks, and what is fetched for workers and actions, reach the network: an undici agent whose connector enforces the SSRF policy.
 *
 * The connect is the only place such a rule holds: a check before the request loses to a name that resolves differently
 * the second time (DNS rebinding), and a `lookup` hook alone is never asked about IP literals. So the connector checks
 * literals itself, refuses a name when any of its addresses is refused, connects to the addresses it checked, and looks
 * at the peer's address once connected. An explicit agent ignores the proxy variables; `undici.request` follows no redirect.
 */
import { isIP, Socket, type LookupFunction, type OnReadOpts } from "node:net";
import { Agent, buildConnector } from "undici";
import { parseAddress } from "./address.ts";
import { firstRefusal } from "./check-resolved.ts";
import { resolveAddresses, type Resolve } from "./resolve.ts";
import { refusalError, type SsrfPolicy } from "./ssrf.ts";

export interface GuardedAgentOptions {
  policy: SsrfPolicy;
  /** Default: DNS, then the hosts file. */
  resolve?: Resolve;
  /** Longest a connect may take, look-up and TLS handshake included. Default 5,000. */
  connectTimeoutMs?: number;
  /** Sockets per origin. Default 64. */
  connections?: number;
  /** Told as a phase of a connect has ended. */
  onPhase?: (phase: ConnectPhase) => void;
  /** Where what comes is read into, and who is told, in place of a stream. Not for agents. */
  onread?: OnReadOpts;
}

/** Name looked up; TCP connected; TLS agreed on. The first not for literals, the last only for https. */
export type ConnectPhase = "dns" | "connect" | "tls";

const CONNECT_TIMEOUT_MS = 5000;

/** An agent that connects only where the policy allows. Requests fail with SvcError `SVC_SSRF` otherwise. Close it after use. */
export function guardedAgent(options: GuardedAgentOptions): Agent {
  return agent(options, guardedConnector(options));
}

/**
 * An agent for exactly one origin, without address rules: for the exempt URL only. A separate agent, so that its sockets
 * are never handed to a guarded request.
 */
export function exemptAgent(options: GuardedAgentOptions): Agent {
  return agent(options, exemptConnector(options));
}

/** Connects without address rules: for the exempt URL only. */
export function exemptConnector(options: GuardedAgentOptions): buildConnector.connector {
  const { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, onread } = options;
  return buildConnector({ timeout, allowH2: false, ...(onread ? { onread } : {}) });
}

function agent(options: GuardedAgentOptions, connect: buildConnector.connector): Agent {
  // Whoever asks sets one deadline over everything: those of a phase are pushed back by each byte.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  return new Agent({ connect, connections: options.connections ?? 64, pipelining: 1, allowH2: false, ...timeouts });
}

/** Connects only where the policy allows; fails with SvcError `SVC_SSRF` otherwise. */
export function guardedConnector(options: GuardedAgentOptions): buildConnector.connector {
  const { policy, onPhase, onread } = options;
  const connect = buildConnector({
    ...(onread ? { onread } : {}),
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: guardedLookup(policy, options.resolve ?? resolveAddresses, onPhase),
    autoSelectFamily: true,
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0, set for something else, doesn't open this. NODE_EXTRA_CA_CERTS is the way.
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const literal = parseAddress(target.hostname) && policy.checkAddress(target.hostname, target.hostname);
    if (literal && !literal.ok) return callback(refusalError(literal), null);
    const connecting: unknown = connect(target, (error, socket) => {
      if (error) return callback(error, null);
      if (target.protocol === "https:") onPhase?.("tls");
      const peer = policy.checkAddress(socket.remoteAddress ?? "", target.hostname);
      if (peer.ok) return callback(null, socket);
      socket.destroy();
      callback(refusalError(peer), null);
    });
    if (onPhase && connecting instanceof Socket) connecting.once("connect", () => onPhase("connect"));
  };
}

/** A `lookup` for node:net that hands on only names whose every address passes. */
function guardedLookup(policy: SsrfPolicy, resolve: Resolve, onPhase: GuardedAgentOptions["onPhase"]): LookupFunction {
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
