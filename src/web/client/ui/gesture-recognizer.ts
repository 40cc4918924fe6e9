/**
 * Recognizes gestures in pointer input: pan, pinch, long press, double tap. A state machine without I/O and without a clock; gesture.ts
 * connects it to the browser.
 */

/** Reports a gesture: the type of its event, and the detail. */
export type Report = (type: string, detail: Record<string, string | number>) => void;

/**
 * One pointer input: its type, the time in milliseconds, the pointer and its position. `time` says that `hold` milliseconds have passed
 * since a press. It may come late or when no press is active, and is then ignored.
 */
export type Take = (
  type: "down" | "move" | "up" | "cancel" | "time",
  at: number,
  id?: number,
  x?: number,
  y?: number,
) => void;

/** A position and a time. */
interface Point {
  x: number;
  y: number;
  _at: number;
}

interface Finger {
  _start: Point;
  _now: Point;
  /** Position a moment ago, to compute the velocity. */
  _before: Point;
}

/** Two taps further apart than this, in px, are not a double tap. */
const NEAR = 24;
/** Velocity is measured over this many milliseconds. */
const MOMENT_MS = 50;

const between = (one: Point, two: Point): number => Math.hypot(one.x - two.x, one.y - two.y);

/**
 * @param isHeard whether the page listens for a gesture; others are not recognized.
 * @param distance pixels before a movement counts.
 * @param interval milliseconds between the taps of a double tap.
 */
export function createGestureRecognizer(
  isHeard: (type: string) => boolean,
  axis: string | null,
  distance: number,
  hold: number,
  interval: number,
  report: Report,
): Take {
  const fingers = new Map<number, Finger>();
  /** undefined: ignore the fingers until all are lifted. */
  let mode: "pressed" | "pan" | "two" | "pinch" | undefined;
  let lastTap: Point | undefined;
  /** Initial distance between the first two fingers. */
  let apart: number;

  /** The first two fingers; the second may be missing. */
  const pair = (): [Finger, Finger] => [...fingers.values()] as [Finger, Finger];
  const spread = (): number => {
    const [one, two] = pair();
    return between(one._now, two._now);
  };

  /** Reports a phase of the current pan or pinch, if there is one. */
  const go = (phase: string, at: number): void => {
    if (mode !== "pan" && mode !== "pinch") return;
    const [{ _now, _start, _before }, two] = pair();
    const { x, y } = _now;
    // A long time since the last move lowers the velocity: the finger rested before it was lifted.
    const ms = Math.max(1, at - _before._at);
    report(
      mode,
      mode === "pan"
        ? { phase, x, y, dx: x - _start.x, dy: y - _start.y, vx: (x - _before.x) / ms, vy: (y - _before.y) / ms }
        : { phase, x: (x + two._now.x) / 2, y: (y + two._now.y) / 2, scale: spread() / apart },
    );
  };

  return (type, at, id = 0, x = 0, y = 0) => {
    const now = { x, y, _at: at };
    const finger = fingers.get(id);
    const [first] = pair();
    if (type === "down") {
      go("end", at);
      fingers.set(id, { _start: now, _now: now, _before: now });
      mode = first ? undefined : "pressed";
      if (fingers.size === 2 && isHeard("pinch")) {
        mode = "two";
        apart = spread() || 1;
      }
    } else if (type === "time") {
      if (mode !== "pressed" || first._start._at + hold > at || !isHeard("longpress")) return;
      mode = undefined;
      report("longpress", { x: first._now.x, y: first._now.y });
    } else if (finger) {
      let phase: string = type === "up" ? "end" : type;
      if (type === "move") {
        const { _start } = finger;
        if (at - finger._before._at > MOMENT_MS) finger._before = finger._now;
        finger._now = now;
        if (mode === "pressed" && between(now, _start) > distance) {
          const isAcross = Math.abs(x - _start.x) > Math.abs(y - _start.y);
          mode = (!axis || (axis === "x") === isAcross) && isHeard("pan") ? "pan" : undefined;
          phase = "start";
        } else if (mode === "two" && Math.abs(spread() - apart) > distance) {
          mode = "pinch";
          phase = "start";
        }
        go(phase, at);
      } else {
        go(phase, at);
        if (mode === "pressed" && type === "up" && at - finger._start._at < hold) {
          const isSecond =
            lastTap && at - lastTap._at <= interval && between(now, lastTap) <= NEAR && isHeard("doubletap");
          lastTap = isSecond ? undefined : now;
          if (isSecond) report("doubletap", { x, y });
        }
        fingers.delete(id);
        mode = undefined;
      }
    }
  };
}
