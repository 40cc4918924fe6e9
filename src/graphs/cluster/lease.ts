/**
 * Decides which process may change a run if several share a database. Pure; leases.ts reads and writes the data, in transactions that
 * these rules assume (decision 038).
 * - A run has a lease: its holder, and a number that grows with every change of holder. Each transition carries the number known to its
 * author; the store refuses another number. So a process that has lost a lease without knowing it changes nothing.
 * - A process holds an advisory lock during its session with the database, and regularly records that it is alive. Without the lock it is
 * dead. With the lock, but silent for too long, it is frozen: another process ends its session, and it is dead as well. A process that
 * wakes up finds its session ended, drops everything and joins again under another id.
 * - The leases of a dead process are given up in one transaction: they lose their holder, each run gets a job again, and the process is
 * removed from the list. A job leads a process to take a lease, so no run is left with neither a holder nor a job. Jobs that are locked
 * by an unlisted process are unlocked.
 */

export interface Lease {
  /** Counts the changes of holder. Part of every fence. */
  readonly number: number;
  /** Id of a process. */
  readonly holder: string | undefined;
}

export const UNHELD: Lease = { number: 0, holder: undefined };

/** Signs of life of a process in the database. */
export interface ProcessSigns {
  /** Whether its session is there, and with it its lock. */
  readonly hasLock: boolean;
  /** Time since its last record, by the clock of the database. */
  readonly silentMs: number;
}

type Standing = "alive" | "frozen" | "dead";

/** @param patienceMs allowed silence of a process that has its lock; longer than a pause of the garbage collector. */
export function standingOf({ hasLock, silentMs }: ProcessSigns, patienceMs: number): Standing {
  if (!hasLock) return "dead";
  return silentMs > patienceMs ? "frozen" : "alive";
}

/** Whether a transition with this number is written. */
export function mayCommit(lease: Lease, number: number): boolean {
  return lease.number === number;
}

/**
 * Takes a lease without a holder.
 * @param isListed whether the process is listed: the leases of a process that was found dead would never be given up again.
 * @returns the new lease; undefined if it has a holder, even a dead one: its leases are given up first.
 */
function take(lease: Lease, processId: string, isListed: boolean): Lease | undefined {
  return isListed && lease.holder === undefined ? { number: lease.number + 1, holder: processId } : undefined;
}

/**
 * Returns a lease, or releases it for a dead process. The number grows, so that late messages of the holder are not written.
 * @returns undefined if another process holds it, or none.
 */
export function giveUp(lease: Lease, processId: string): Lease | undefined {
  return lease.holder === processId ? { number: lease.number + 1, holder: undefined } : undefined;
}

/** The facts about a run that decide on jobs. */
export interface Course {
  readonly lease: Lease;
  readonly hasEnded: boolean;
  /** It does nothing until it is resumed. */
  readonly isPaused: boolean;
}

/** Whether it needs a job: it has no holder, and there is work to do. */
export function needsJob({ lease, hasEnded, isPaused }: Course): boolean {
  return lease.holder === undefined && !hasEnded && !isPaused;
}

/**
 * Decides what a process does with a job of a run: there may be two jobs, or an old one.
 * @returns the lease that it takes; `done`: nothing to take; `not mine`: the job stays for another process.
 */
export function onJob(course: Course, processId: string, isListed: boolean): Lease | "done" | "not mine" {
  if (!isListed) return "not mine";
  return (needsJob(course) && take(course.lease, processId, isListed)) || "done";
}
