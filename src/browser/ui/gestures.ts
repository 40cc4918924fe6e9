/**
 * Tells gestures from what pointers do: pan, pinch, long press, double tap. A state machine without I/O or time of its own; what the
 * browser says and is told is gesture.ts.
 */

export interface GestureSettings {
  /** Whether a gesture is heard: others are not told from nothing. */
  _wanted: (type: string) => boolean;
  _axis: string | null;
  _distance: number;
  _hold: number;
  _interval: number;
}

/** What a pointer does; `time`: nothing, for so long. `_at` in milliseconds. */
export interface GestureInput {
  _type: "down" | "move" | "up" | "cancel" | "time";
  _id?: number;
  _x?: number;
  _y?: number;
  _at: number;
}

export interface GestureOutput {
  type: string;
  detail: Record<string, unknown>;
}

/** Place and time. */
interface Point {
  _x: number;
  _y: number;
  _at: number;
}

interface Finger extends Point {
  _start: Point;
  /** A moment ago, for the speed. */
  _before: Point;
}

/** Two taps further apart than this are two taps. */
const NEAR = 24;
/** Speed is that over so many milliseconds. */
const MOMENT_MS = 50;

const between = (one: Point, two: Point): number => Math.hypot(one._x - two._x, one._y - two._y);

/** `spent`: what the fingers do until they are lifted is nothing any more. */
type Mode = "idle" | "pressed" | "pan" | "two" | "pinch" | "spent";

export class Recogniser {
  readonly #fingers = new Map<number, Finger>();
  readonly #settings: GestureSettings;
  #mode: Mode = "idle";
  #lastTap: Point | undefined;
  /** How far the first two fingers were apart. */
  #apart = 0;

  constructor(settings: GestureSettings) {
    this.#settings = settings;
  }

  /** When to come back with `time`; undefined where nothing is waited for. */
  get _dueAt(): number | undefined {
    const { _wanted, _hold } = this.#settings;
    return this.#mode === "pressed" && _wanted("longpress") ? this.#pair()[0]._start._at + _hold : undefined;
  }

  /** Whether a gesture is under way that moves something. */
  get _isMoving(): boolean {
    return this.#mode === "pan" || this.#mode === "pinch";
  }

  _take({ _type, _id = 0, _x = 0, _y = 0, _at }: GestureInput): GestureOutput[] {
    const fingers = this.#fingers;
    const now = { _x, _y, _at };
    if (_type === "down") {
      const out = this.#tell("end", now);
      fingers.set(_id, { ...now, _start: now, _before: now });
      const isPinch = fingers.size === 2 && this.#settings._wanted("pinch");
      this.#mode = fingers.size < 2 ? "pressed" : isPinch ? "two" : "spent";
      if (isPinch) this.#apart = between(...this.#pair());
      return out;
    }
    if (_type === "time") {
      if (!(this._dueAt! <= _at)) return [];
      this.#mode = "spent";
      const [{ _x: x, _y: y }] = this.#pair();
      return [{ type: "longpress", detail: { x, y } }];
    }
    const finger = fingers.get(_id);
    if (!finger) return [];
    if (_type === "move") return this.#move(finger, now);
    const isTap = this.#mode === "pressed" && _type === "up" && _at - finger._start._at < this.#settings._hold;
    const out = isTap ? this.#tap({ ...finger, _at }) : this.#tell(_type === "up" ? "end" : _type, { ...finger, _at });
    fingers.delete(_id);
    this.#mode = fingers.size ? "spent" : "idle";
    return out;
  }

  #move(finger: Finger, now: Point): GestureOutput[] {
    const { _axis, _distance, _wanted } = this.#settings;
    const { _start, _x, _y, _at } = finger;
    if (now._at - finger._before._at > MOMENT_MS) finger._before = { _x, _y, _at };
    Object.assign(finger, now);
    if (this.#mode === "pressed" && between(finger, _start) > _distance) {
      const isAlong = !_axis || (_axis === "x") === Math.abs(now._x - _start._x) > Math.abs(now._y - _start._y);
      this.#mode = isAlong && _wanted("pan") ? "pan" : "spent";
      return this.#tell("start", now);
    }
    if (this.#mode === "two" && Math.abs(between(...this.#pair()) - this.#apart) > _distance) {
      this.#mode = "pinch";
      return this.#tell("start", now);
    }
    return this.#tell("move", now);
  }

  #tap({ _x: x, _y: y, _at }: Point): GestureOutput[] {
    const last = this.#lastTap;
    const now = { _x: x, _y: y, _at };
    this.#lastTap = now;
    const { _interval, _wanted } = this.#settings;
    if (!last || _at - last._at > _interval || between(now, last) > NEAR || !_wanted("doubletap")) return [];
    this.#lastTap = undefined;
    return [{ type: "doubletap", detail: { x, y } }];
  }

  /** Of what is under way, if anything is. */
  #tell(phase: string, { _at }: Point): GestureOutput[] {
    if (!this._isMoving) return [];
    const [one, two] = this.#pair();
    const { _x: x, _y: y, _start, _before } = one;
    // Of a finger that rested before it was lifted little speed is left.
    const ms = Math.max(1, _at - _before._at);
    const [vx, vy] = [(x - _before._x) / ms, (y - _before._y) / ms];
    const detail =
      this.#mode === "pan"
        ? { phase, x, y, dx: x - _start._x, dy: y - _start._y, vx, vy }
        : { phase, x: (x + two._x) / 2, y: (y + two._y) / 2, scale: between(one, two) / (this.#apart || 1) };
    return [{ type: this.#mode, detail }];
  }

  /** The first two fingers, of which there may be one. */
  #pair(): [Finger, Finger] {
    return [...this.#fingers.values()] as [Finger, Finger];
  }
}
