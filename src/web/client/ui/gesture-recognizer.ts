/**
 * Tells gestures from what pointers do: pan, pinch, long press, double tap. A state machine without I/O or time of its own; what the
 * browser says and is told is gesture.ts.
 */

/** A gesture is told: the type of its event, and the detail. */
export type Report = (type: string, detail: Record<string, string | number>) => void;

/**
 * What a pointer does, when in milliseconds, which one it is and where. `time`: nothing, for so long; it may come late or for nothing, for it
 * means something only after a press of `hold`.
 */
export type Take = (
  type: "down" | "move" | "up" | "cancel" | "time",
  at: number,
  id?: number,
  x?: number,
  y?: number,
) => void;

/** Place and time. */
interface Point {
  x: number;
  y: number;
  _at: number;
}

interface Finger {
  _start: Point;
  _now: Point;
  /** A moment ago, for the speed. */
  _before: Point;
}

/** Two taps further apart than this are two taps. */
const NEAR = 24;
/** Speed is that over so many milliseconds. */
const MOMENT_MS = 50;

const between = (one: Point, two: Point): number => Math.hypot(one.x - two.x, one.y - two.y);

/** @param isHeard others are not told from nothing. @param distance px before something moves. @param interval ms between two taps. */
export function createGestureRecognizer(
  isHeard: (type: string) => boolean,
  axis: string | null,
  distance: number,
  hold: number,
  interval: number,
  report: Report,
): Take {
  const fingers = new Map<number, Finger>();
  /** undefined: what the fingers do until they are lifted is nothing any more. */
  let mode: "pressed" | "pan" | "two" | "pinch" | undefined;
  let lastTap: Point | undefined;
  /** How far the first two fingers were apart. */
  let apart: number;

  /** The first two fingers, of which there may be one. */
  const pair = (): [Finger, Finger] => [...fingers.values()] as [Finger, Finger];
  const spread = (): number => {
    const [one, two] = pair();
    return between(one._now, two._now);
  };

  /** Of what is under way, if anything is. */
  const go = (phase: string, at: number): void => {
    if (mode !== "pan" && mode !== "pinch") return;
    const [{ _now, _start, _before }, two] = pair();
    const { x, y } = _now;
    // Of a finger that rested before it was lifted little speed is left.
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
