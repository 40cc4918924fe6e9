/**
 * The only way to external servers: a connector that enforces the SSRF policy. The undici clients of webhooks use it, and the undici agent
 * for requests of workers and actions.
 *
 * Only the connect can enforce such a rule. A check before the request fails against a name that resolves differently the second time (DNS
 * rebinding), and Node does not call a `lookup` hook for IP literals. So the connector checks literals itself, refuses a name if any of its
 * addresses is refused, connects to the addresses that it checked, and checks the peer's address after connecting. An explicit agent
 * ignores the proxy variables; a dispatched request follows no redirect.
 */
import { isIP, Socket, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { requireRuntime } from "../require-runtime.ts";
import { parseAddress } from "./address.ts";
import { firstRefusal } from "./check-host.ts";
import { resolveAddresses, type Resolve } from "./resolve.ts";
import { refusalError, type SsrfPolicy } from "./ssrf.ts";

export interface GuardedOptions {
  policy: SsrfPolicy;
  /** Default: DNS, then the hosts file. */
  resolve?: Resolve;
  /** Timeout of a connect in milliseconds, including lookup and TLS handshake. Default 5,000. */
  connectTimeoutMs?: number;
  /** Called when a phase of a connect has ended. */
  onPhase?: (phase: ConnectPhase) => void;
}

/** Name lookup; TCP connect; TLS handshake. Literals have no lookup, and only https has a handshake. */
export type ConnectPhase = "dns" | "connect" | "tls";

const CONNECT_TIMEOUT_MS = 5000;
/** Browsers allow 6; here many workers may call the same server. */
const SOCKETS_PER_ORIGIN = 64;

/** The type of undici's connectors. @returns the socket being connected, if it already exists */
export type Connector = (target: buildConnector.Options, callback: buildConnector.Callback) => Socket | undefined;

/** An agent that only connects to addresses that the policy allows; other requests fail with SvcError `SVC_SSRF`. Close it after use. */
export function guardedAgent(options: GuardedOptions): Agent {
  const connect = guardedConnector(options);
  // Callers set one deadline for the whole request: each byte would extend a timeout per phase.
  const timeouts = { headersTimeout: 0, bodyTimeout: 0 };
  return new Agent({ connect, connections: SOCKETS_PER_ORIGIN, pipelining: 1, allowH2: false, ...timeouts });
}

/** Connects without address rules, only for the exempt URL. Its connections must never be used for a guarded request. */
export function exemptConnector(options: Omit<GuardedOptions, "policy">): Connector {
  const connect = buildConnector({ timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS, allowH2: false });
  return (target, callback) => socketOf(connect(target, callback));
}

/** undici's connectors return the socket, although their type does not declare it. */
function socketOf(given: unknown): Socket | undefined {
  return given instanceof Socket ? given : undefined;
}

/** Connects only to addresses that the policy allows; else fails with SvcError `SVC_SSRF`. @throws SvcError `SVC_RUNTIME` on Bun */
export function guardedConnector(options: GuardedOptions): Connector {
  requireRuntime();
  const { policy, onPhase } = options;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    allowH2: false,
    lookup: guardedLookup(policy, options.resolve ?? resolveAddresses, onPhase),
    autoSelectFamily: true,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 for other code has no effect here. Use NODE_EXTRA_CA_CERTS instead.
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

/** A `lookup` for node:net that fails unless the policy allows every address of the name. */
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
