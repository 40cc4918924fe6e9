/**
 * Explores every state of one run and several processes under the rules of lease.ts. Processes may be killed, frozen or cut off at any
 * time, and their writes may arrive late. The rules are the real ones; the environment is a model.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveUp, mayCommit, needsJob, onJob, standingOf, UNHELD, type Course, type Lease } from "./lease.ts";

const RULES = { giveUp, mayCommit, needsJob, onJob, standingOf };
type Rules = typeof RULES;

/** Longer than any silence that a process may have. In the model, a process is either silent or not. */
const PATIENCE_MS = 1000;

/** One process, from its boot to its end, and its state in the database. A process that joins again is a new member. */
interface Member {
  state: "to come" | "up" | "frozen" | "gone";
  hasLock: boolean;
  isSilent: boolean;
  isListed: boolean;
  /** Number of the lease that it believes to hold. */
  number: number | undefined;
  /** A transition that was sent but has not arrived. It ends or pauses the run. */
  sent: { number: number; makes: "end" | "pause" } | undefined;
  job: "none" | "fetched" | "dealt with";
}

interface World {
  readonly lease: Lease;
  readonly hasEnded: boolean;
  readonly isPaused: boolean;
  readonly hasJob: boolean;
  readonly members: readonly Readonly<Member>[];
}

interface Step {
  name: string;
  /** Whether the step needs only time and running processes. Liveness may rely on such steps alone. */
  isGood: boolean;
  world: World;
}

const TO_COME: Member = {
  state: "to come",
  hasLock: false,
  isSilent: false,
  isListed: false,
  number: undefined,
  sent: undefined,
  job: "none",
};
const BOOTED: Partial<Member> = { state: "up", hasLock: true, isListed: true };
const GONE: Partial<Member> = { state: "gone", hasLock: false, isSilent: false, number: undefined };
const id = (member: number): string => `p${member}`;

function begin(members: number): World {
  const all = Array.from({ length: members }, () => TO_COME);
  return { lease: UNHELD, hasEnded: false, isPaused: false, hasJob: true, members: all };
}

/** All possible next steps. */
function stepsOf(world: World, by: Rules): Step[] {
  return world.members.flatMap((_member, at) => [...stepsOfMember(world, at, by), ...stepsAgainst(world, at, by)]);
}

type Change = Partial<Omit<World, "members">>;

/** @param own changes of the member. */
function stepOf(world: World, at: number, name: string, isGood: boolean, own: Partial<Member>, change?: Change): Step {
  const members = world.members.map((member, other) => (other === at ? { ...member, ...own } : member));
  return { name: `${id(at)} ${name}`, isGood, world: { ...world, ...change, members } };
}

/** Adds a job if the run needs one. */
function withJob(world: World, change: Change, { needsJob }: Rules): Change {
  const next = { ...world, ...change };
  return { ...change, hasJob: next.hasJob || needsJob(next) };
}

/** Failures of a process, and the reactions of the others. */
function stepsAgainst(world: World, at: number, by: Rules): Step[] {
  const steps: Step[] = [];
  const step = (name: string, isGood: boolean, own: Partial<Member>, change?: Change): void =>
    void steps.push(stepOf(world, at, name, isGood, own, change));
  const member = world.members[at] as Member;
  const { state, hasLock, isSilent, isListed, job, sent } = member;
  const lease = by.giveUp(world.lease, id(at)) ?? world.lease;
  if (sent) {
    const isWritten = by.mayCommit(world.lease, sent.number) && !world.hasEnded;
    // A run that has ended, or that waits for a resume, belongs to nobody.
    const change = sent.makes === "end" ? { hasEnded: true, lease } : { isPaused: true, lease };
    step(`is heard: ${sent.makes}`, true, { sent: undefined }, isWritten ? change : {});
  }
  const isWatched = world.members.some((other, place) => other.state === "up" && place !== at);
  const standing = by.standingOf({ hasLock, silentMs: isSilent ? PATIENCE_MS + 1 : 0 }, PATIENCE_MS);
  if (isWatched && isListed && standing === "dead") {
    const change = withJob(world, { lease, hasJob: world.hasJob || job !== "none" }, by);
    step("loses its leases to another process", true, { isListed: false, job: "none" }, change);
  }
  if (isWatched && !isListed && job !== "none") step("has its job unlocked", true, { job: "none" }, { hasJob: true });
  if (isWatched && hasLock && standing === "frozen") step("has its session ended", true, { hasLock: false });
  if (state === "to come") step("boots", false, BOOTED);
  if (state === "frozen") step("wakes", false, { state: "up" });
  if (state === "frozen" && !isSilent) step("is silent", true, { isSilent: true });
  if (state === "up") step("freezes", false, { state: "frozen" });
  if (state === "up" && hasLock) step("is cut off", false, { hasLock: false });
  if (state === "up" || state === "frozen") step("is killed", false, GONE);
  return steps;
}

/** Steps of a running process. It continues until it notices that the session with its lock has ended. */
function stepsOfMember(world: World, at: number, by: Rules): Step[] {
  const steps: Step[] = [];
  const step = (name: string, own: Partial<Member>, change?: Change): void =>
    void steps.push(stepOf(world, at, name, true, own, change));
  const { state, hasLock, isSilent, isListed, number, sent, job } = world.members[at] as Member;
  if (state !== "up") return steps;
  if (!hasLock) step("notices the loss, drops its runs and joins under a new id", GONE);
  if (hasLock && isSilent) step("reports that it is alive", { isSilent: false });
  if (world.hasJob && job === "none") step("fetches the job", { job: "fetched" }, { hasJob: false });
  if (job === "fetched") {
    const made = by.onJob(world, id(at), isListed);
    if (made === "not mine") step("leaves the job to another process", { job: "none" }, { hasJob: true });
    else if (made === "done") step("finds the job already done", { job: "dealt with" });
    else step("takes the lease", { job: "dealt with", number: made.number }, { lease: made });
  }
  if (job === "dealt with") step("finishes the job", { job: "none" });
  if (number !== undefined) {
    if (!sent) for (const makes of ["end", "pause"] as const) step(`sends: ${makes}`, { sent: { number, makes } });
    const lease = by.mayCommit(world.lease, number) ? by.giveUp(world.lease, id(at)) : undefined;
    step("returns the lease", { number: undefined }, lease && withJob(world, { lease }, by));
  }
  // Any process can resume it, because nobody holds it.
  if (world.isPaused && world.lease.holder === undefined)
    step("resumes the run for a caller", {}, withJob(world, { isPaused: false }, by));
  return steps;
}

/** Members whose transitions would be written. */
function committers({ members, lease, hasEnded }: World, { mayCommit }: Rules): string[] {
  const numbers = members.map(({ number, sent }) => [number, sent?.number]);
  const mayOnes = numbers.map((own) => own.some((one) => one !== undefined && mayCommit(lease, one)));
  return hasEnded ? [] : mayOnes.flatMap((may, at) => (may ? [id(at)] : []));
}

/**
 * States that differ only in lease numbers or in the order of members are equal. Writes under a past lease number have no
 * effect.
 */
function keyOf({ lease, members, hasEnded, isPaused, hasJob }: World, { mayCommit }: Rules): string {
  if (hasEnded) return "ended";
  const is = (number: number | undefined): boolean => number !== undefined && mayCommit(lease, number);
  const seen = members.map(({ state, hasLock, isSilent, isListed, number, sent, job }, at) => {
    const flags = [hasLock, isSilent, isListed, is(number), id(at) === lease.holder].map(Number).join("");
    return `${state}${flags}${sent && is(sent.number) ? sent.makes : ""}${job}`;
  });
  return `${seen.sort().join()}${isPaused}${hasJob}${lease.holder === undefined}`;
}

interface Found {
  states: number;
  /** The steps to a state in which two processes could commit. */
  two: string[] | undefined;
  /** The steps to a state from which the run can't end, although a connected process is running. */
  stuck: string[] | undefined;
}

function isWell({ state, hasLock }: Member): boolean {
  return state === "up" && hasLock;
}

function explore(processes: number, by: Rules): Found {
  const first = begin(processes);
  const keys = [keyOf(first, by)];
  const worlds = [first];
  const from: { parent: number; name: string }[] = [{ parent: -1, name: "" }];
  const known = new Map([[keys[0] as string, 0]]);
  const goodBefore: number[][] = [[]];
  const way = (at: number): string[] => {
    const { parent, name } = from[at] as { parent: number; name: string };
    return parent < 0 ? [] : [...way(parent), name];
  };
  for (let at = 0; at < worlds.length; at++) {
    const world = worlds[at] as World;
    if (committers(world, by).length > 1) return { states: worlds.length, two: way(at), stuck: undefined };
    for (const { name, isGood, world: next } of world.hasEnded ? [] : stepsOf(world, by)) {
      const key = keyOf(next, by);
      let to = known.get(key);
      if (to === undefined) {
        to = worlds.push(next) - 1;
        known.set(key, to);
        from.push({ parent: at, name });
        goodBefore.push([]);
      }
      if (isGood) goodBefore[to]?.push(at);
    }
  }
  const hopeful = new Set(worlds.flatMap(({ hasEnded }, at) => (hasEnded ? [at] : [])));
  for (const at of hopeful) for (const before of goodBefore[at] ?? []) hopeful.add(before);
  const lost = worlds.findIndex(({ members }, at) => !hopeful.has(at) && members.some(isWell));
  return { states: worlds.length, two: undefined, stuck: lost < 0 ? undefined : way(lost) };
}

describe("run leases", () => {
  it("never let two processes commit, and never leave a run that no process may take", (test) => {
    const found = explore(3, RULES);
    test.diagnostic(`${found.states} states`);
    assert.deepEqual([found.two, found.stuck], [undefined, undefined]);
    assert.ok(found.states > 1000);
  });

  const isFree = ({ lease, hasEnded }: Course): boolean => lease.holder === undefined && !hasEnded;
  const planted: Record<string, [Partial<Rules>, keyof Found]> = {
    "a number that stays as a lease is given up": [
      {
        giveUp: (lease, holder) => (lease.holder === holder ? { ...lease, holder: undefined } : undefined),
        onJob: (course, holder) => (isFree(course) ? { ...course.lease, holder } : "done"),
      },
      "two",
    ],
    "a store that does not look at the number": [{ mayCommit: () => true }, "two"],
    "a frozen process that is left in peace": [{ standingOf: ({ hasLock }) => (hasLock ? "alive" : "dead") }, "stuck"],
    "leases that are given up without a job": [{ needsJob: () => false }, "stuck"],
    "a lease for a process that was found dead": [{ onJob: (course, holder) => onJob(course, holder, true) }, "stuck"],
    "a job that a process throws away that was found dead": [
      { onJob: (course, holder, isListed) => (isListed ? onJob(course, holder, true) : "done") },
      "stuck",
    ],
  };
  for (const [bug, [broken, kind]] of Object.entries(planted))
    it(`the model detects the bug: ${bug}`, () => {
      const found = explore(2, { ...RULES, ...broken });
      assert.ok(found[kind], `${JSON.stringify(found)} has no "${kind}"`);
    });
});
