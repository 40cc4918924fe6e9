/**
 * Who may change a graph, where several processes share a database. Pure decisions; what they decide on is read and written
 * by leases.ts, in the transactions that the words below take for granted (decision 038).
 *
 * - A graph has a lease: who holds it, and a number that grows whenever that changes. Each unit carries the number its maker
 *   knows; the store refuses a unit of another number. So whoever has lost a lease, and does not know it yet, changes nothing.
 * - A process holds an advisory lock for as long as its session with the database lasts, and writes down now and then that it
 *   is there. Without the lock it is dead. With the lock, and silent for too long, it is frozen: whoever finds that ends its
 *   session, and then it is dead too. One that wakes finds its session ended, drops all it had, and joins anew under another id.
 * - What a dead process held is given up for it: its leases have no holder, each graph has a job again, and it is not listed any
 *   more, in one transaction. A job is what leads some process to take a lease. So no graph is left that has neither a holder
 *   nor a job. Jobs that are locked by one that is not listed are unlocked.
 */

export interface Lease {
  /** Counts the changes of holder; part of every fence. */
  readonly number: number;
  /** Id of a process. */
  readonly holder: string | undefined;
}

export const UNHELD: Lease = { number: 0, holder: undefined };

/** What the database tells of a process. */
export interface ProcessSigns {
  /** Whether its session is there, and with it its lock. */
  readonly hasLock: boolean;
  /** How long ago it wrote that it is there, by the clock of the database. */
  readonly silentMs: number;
}

type Standing = "alive" | "frozen" | "dead";

/** @param patienceMs how long a process may be silent that has its lock; a pause of the garbage collector is none. */
export function standingOf({ hasLock, silentMs }: ProcessSigns, patienceMs: number): Standing {
  if (!hasLock) return "dead";
  return silentMs > patienceMs ? "frozen" : "alive";
}

/** Whether a unit is written that was made under this number. */
export function mayCommit(lease: Lease, number: number): boolean {
  return lease.number === number;
}

/**
 * Takes a lease that nobody holds.
 * @param isListed whether the process is known as one that is there: of one that was found dead, nothing would be given up again.
 * @returns the lease as it is then; undefined where it has a holder, be that one dead: what it held is given up first.
 */
function take(lease: Lease, processId: string, isListed: boolean): Lease | undefined {
  return isListed && lease.holder === undefined ? { number: lease.number + 1, holder: processId } : undefined;
}

/**
 * What a holder gives back, or what is given up for one that is dead. The number grows, so that nothing it has sent and
 * that is still on its way is written after it.
 * @returns undefined where another holds it, or nobody.
 */
export function giveUp(lease: Lease, processId: string): Lease | undefined {
  return lease.holder === processId ? { number: lease.number + 1, holder: undefined } : undefined;
}

/** What of a graph decides on jobs. */
export interface Course {
  readonly lease: Lease;
  readonly hasEnded: boolean;
  /** It does nothing until somebody resumes it. */
  readonly isPaused: boolean;
}

/** Whether there must be a job for it: nobody has it, and there is something to be done. */
export function needsJob({ lease, hasEnded, isPaused }: Course): boolean {
  return lease.holder === undefined && !hasEnded && !isPaused;
}

/**
 * What whoever gets a job for a graph makes of it: a job may be there twice, or come late.
 * @returns the lease that it takes; `done`: there is nothing to take; `not mine`: the job must stay, for another process.
 */
export function onJob(course: Course, processId: string, isListed: boolean): Lease | "done" | "not mine" {
  if (!isListed) return "not mine";
  return (needsJob(course) && take(course.lease, processId, isListed)) || "done";
}
