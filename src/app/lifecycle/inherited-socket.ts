/** The socket that systemd opened for this process: https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html. */
import { SvcError } from "../../platform/shared/errors.ts";

const FIRST_DESCRIPTOR = 3;

/**
 * Takes the socket: child processes must not see the variables. @param env is changed
 * @returns undefined if there is none, or it is meant for another process
 * @throws SvcError `SVC_CONFIG` if there are several
 */
export function takeInheritedSocket(env: NodeJS.ProcessEnv, pid: number): { readonly fd: number } | undefined {
  if (env["LISTEN_PID"] !== String(pid)) return undefined;
  const count = Number(env["LISTEN_FDS"]);
  for (const name of ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]) Reflect.deleteProperty(env, name);
  if (count === 1) return { fd: FIRST_DESCRIPTOR };
  throw new SvcError("SVC_CONFIG", `LISTEN_FDS is ${count}, but svc listens on 1 socket. Configure one ListenStream`);
}
