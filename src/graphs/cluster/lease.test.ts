/**
 * Every state that one graph and some processes can come to by the rules of lease.ts, where processes are killed, frozen and cut
 * off at any moment, and what they have sent arrives late. The rules are the real ones; the world around them is a model.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveUp, mayCommit, needsJob, onJob, standingOf, UNHELD, type Course, type Lease } from "./lease.ts";

const RULES = { giveUp, mayCommit, needsJob, onJob, standingOf };
type Rules = typeof RULES;

/** Longer than any process may be silent; in the model one is silent or it is not. */
const PATIENCE_MS = 1000;

/** One process, from its boot to its end, and what the database knows of it. One that joins anew is another. */
interface Member {
  state: "to come" | "up" | "frozen" | "gone";
  hasLock: boolean;
  isSilent: boolean;
  isListed: boolean;
  /** The number of the lease it believes to hold. */
  number: number | undefined;
  /** A unit that it has sent and that has not arrived: with it the graph ends, or pauses. */
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
  /** Whether it takes no more than time and processes that are up: hope is for these alone. */
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

/** All that can happen next. */
function stepsOf(world: World, by: Rules): Step[] {
  return world.members.flatMap((_member, at) => [...stepsOfMember(world, at, by), ...stepsAgainst(world, at, by)]);
}

type Change = Partial<Omit<World, "members">>;

/** @param own what changes of the member. */
function stepOf(world: World, at: number, name: string, isGood: boolean, own: Partial<Member>, change?: Change): Step {
  const members = world.members.map((member, other) => (other === at ? { ...member, ...own } : member));
  return { name: `${id(at)} ${name}`, isGood, world: { ...world, ...change, members } };
}

/** With a job, if it must have one. */
function withJob(world: World, change: Change, { needsJob }: Rules): Change {
  const next = { ...world, ...change };
  return { ...change, hasJob: next.hasJob || needsJob(next) };
}

/** What happens to a process, and what others do about it. */
function stepsAgainst(world: World, at: number, by: Rules): Step[] {
  const steps: Step[] = [];
  const step = (name: string, isGood: boolean, own: Partial<Member>, change?: Change): void =>
    void steps.push(stepOf(world, at, name, isGood, own, change));
  const member = world.members[at] as Member;
  const { state, hasLock, isSilent, isListed, job, sent } = member;
  const lease = by.giveUp(world.lease, id(at)) ?? world.lease;
  if (sent) {
    const isWritten = by.mayCommit(world.lease, sent.number) && !world.hasEnded;
    // What has ended, or waits for somebody to resume it, is nobody's.
    const change = sent.makes === "end" ? { hasEnded: true, lease } : { isPaused: true, lease };
    step(`is heard: ${sent.makes}`, true, { sent: undefined }, isWritten ? change : {});
  }
  const isWatched = world.members.some((other, place) => other.state === "up" && place !== at);
  const standing = by.standingOf({ hasLock, silentMs: isSilent ? PATIENCE_MS + 1 : 0 }, PATIENCE_MS);
  if (isWatched && isListed && standing === "dead") {
    const change = withJob(world, { lease, hasJob: world.hasJob || job !== "none" }, by);
    step("has its things given up for it", true, { isListed: false, job: "none" }, change);
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

/** What a process does that is up. It goes on, whatever happens to the session that holds its lock, until it notices. */
function stepsOfMember(world: World, at: number, by: Rules): Step[] {
  const steps: Step[] = [];
  const step = (name: string, own: Partial<Member>, change?: Change): void =>
    void steps.push(stepOf(world, at, name, true, own, change));
  const { state, hasLock, isSilent, isListed, number, sent, job } = world.members[at] as Member;
  if (state !== "up") return steps;
  if (!hasLock) step("notices, drops what it has, and joins anew as another", GONE);
  if (hasLock && isSilent) step("tells that it is there", { isSilent: false });
  if (world.hasJob && job === "none") step("fetches the job", { job: "fetched" }, { hasJob: false });
  if (job === "fetched") {
    const made = by.onJob(world, id(at), isListed);
    if (made === "not mine") step("leaves the job to others", { job: "none" }, { hasJob: true });
    else if (made === "done") step("finds that the job is done", { job: "dealt with" });
    else step("takes the lease", { job: "dealt with", number: made.number }, { lease: made });
  }
  if (job === "dealt with") step("is done with the job", { job: "none" });
  if (number !== undefined) {
    if (!sent) for (const makes of ["end", "pause"] as const) step(`sends: ${makes}`, { sent: { number, makes } });
    const lease = by.mayCommit(world.lease, number) ? by.giveUp(world.lease, id(at)) : undefined;
    step("gives it back", { number: undefined }, lease && withJob(world, { lease }, by));
  }
  // Any process can: nobody has it.
  if (world.isPaused && world.lease.holder === undefined)
    step("resumes it for somebody", {}, withJob(world, { isPaused: false }, by));
  return steps;
}

/** Those whose units would be written. */
function committers({ members, lease, hasEnded }: World, { mayCommit }: Rules): string[] {
  const numbers = members.map(({ number, sent }) => [number, sent?.number]);
  const mayOnes = numbers.map((own) => own.some((one) => one !== undefined && mayCommit(lease, one)));
  return hasEnded ? [] : mayOnes.flatMap((may, at) => (may ? [id(at)] : []));
}

/**
 * What is the same but for the height of numbers, or for who is who, is one state. What was made under a number that is over
 * changes nothing any more.
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
  /** The way to a state in which two would be written. */
  two: string[] | undefined;
  /** The way to a state from which the graph can't come to its end, though a process is up that was not cut off. */
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

describe("leases of graphs", () => {
  it("never let two processes commit, and never leave a graph that nobody may take", (test) => {
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
    it(`${bug} would be found`, () => {
      const found = explore(2, { ...RULES, ...broken });
      assert.ok(found[kind], `${JSON.stringify(found)} has no "${kind}"`);
    });
});
