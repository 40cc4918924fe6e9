/** `<Gesture>`: what fingers and pointers do on an element. Typed here; the compiler writes it as an element, so it may stand in rows and branches too. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { GlobalAttributes } from "./attributes.ts";
import type { Markup } from "./element.ts";
import type { Handler } from "./events.ts";

/** `start` once it is clear what it is, then `move`, and one `end`; `cancel` where the browser took it over. */
export type GesturePhase = "start" | "move" | "end" | "cancel";

export interface GesturePoint {
  /** In the window, in CSS pixels. */
  x: number;
  y: number;
}

export interface PanDetail extends GesturePoint {
  phase: GesturePhase;
  /** From where the finger came down. */
  dx: number;
  dy: number;
  /** Pixels a millisecond over the last moves, for what glides on. */
  vx: number;
  vy: number;
}

export interface PinchDetail extends GesturePoint {
  phase: GesturePhase;
  /** How far the fingers are apart, by how far they were: 2 is twice. `x` and `y` are between them. */
  scale: number;
}

type GestureHandler<Detail> = Handler<CustomEvent<Detail>, HTMLElement> | undefined;

export interface GestureProps extends GlobalAttributes<HTMLElement> {
  /** Pans along this axis alone; the page scrolls along the other. Default: pans in all directions, and the page stays. */
  axis?: "x" | "y";
  /** Pixels after which a finger that moves is a pan, and no tap. Default: 8. */
  distance?: number;
  /** Milliseconds of a long press. Default: 500. */
  hold?: number;
  /** Milliseconds between two taps that are a double one. Default: 300. */
  interval?: number;
  /** One finger, or the main button of a mouse, moves. */
  onPan?: GestureHandler<PanDetail>;
  /** Two fingers move. */
  onPinch?: GestureHandler<PinchDetail>;
  /** One finger stays where it is. */
  onLongPress?: GestureHandler<GesturePoint>;
  /** Two taps, one after the other, at one place. */
  onDoubleTap?: GestureHandler<GesturePoint>;
}

/**
 * An element that tells of gestures on it: by touch, pen and mouse, with `touch-action` set so that browsers leave what it hears to it
 * and do all else. Whatever a gesture does, keys must be able to do as well: that is the page's.
 */
export function Gesture(_props: GestureProps): Markup {
  throw new SvcError(
    "SVC_DEFINITION",
    '<Gesture> was called, but only the compiler can write it: use it as JSX in a .tsx file that "svc dev" or "svc build" compiles.',
  );
}
