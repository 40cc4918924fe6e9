/** `<Gesture>`: reports gestures of fingers and pointers on an element. Only types; the compiler writes the element, also in rows and branches. */
import { SvcError } from "../../platform/shared/errors.ts";
import type { GlobalAttributes } from "./attributes.ts";
import type { Markup } from "./element.ts";
import type { Handler } from "./events.ts";

/** `start` when the gesture is recognized, then `move`, and one `end`; `cancel` if the browser takes the pointer over. */
export type GesturePhase = "start" | "move" | "end" | "cancel";

export interface GesturePoint {
  /** Position in the window, in CSS pixels. */
  x: number;
  y: number;
}

export interface PanDetail extends GesturePoint {
  phase: GesturePhase;
  /** Distance from the point where the finger came down. */
  dx: number;
  dy: number;
  /** Velocity of the last moves in pixels per millisecond, for example for inertia. */
  vx: number;
  vy: number;
}

export interface PinchDetail extends GesturePoint {
  phase: GesturePhase;
  /** Distance between the fingers relative to the initial distance: 2 is twice. `x` and `y` are the midpoint. */
  scale: number;
}

type GestureHandler<Detail> = Handler<CustomEvent<Detail>, HTMLElement> | undefined;

export interface GestureProps extends GlobalAttributes<HTMLElement> {
  /** Recognizes pans along this axis only; the page scrolls along the other. Default: all directions, and the page does not scroll. */
  axis?: "x" | "y";
  /** Distance in pixels from which a movement is a pan rather than a tap. Default: 8. */
  distance?: number;
  /** Duration of a long press in milliseconds. Default: 500. */
  hold?: number;
  /** Maximum time between the two taps of a double tap, in milliseconds. Default: 300. */
  interval?: number;
  /** One finger moves, or the mouse with its main button pressed. */
  onPan?: GestureHandler<PanDetail>;
  /** Two fingers move. */
  onPinch?: GestureHandler<PinchDetail>;
  /** One finger stays in place. */
  onLongPress?: GestureHandler<GesturePoint>;
  /** Two taps in quick succession at one place. */
  onDoubleTap?: GestureHandler<GesturePoint>;
}

/**
 * An element that reports gestures by touch, pen and mouse. Its `touch-action` is set so that the browser leaves these gestures to it and
 * handles all others. The page must provide a keyboard alternative for each gesture.
 * @example
 * <Gesture axis="x" onPan={(event) => (offset.value = event.detail.dx)}>
 *   Drag me
 * </Gesture>
 */
export function Gesture(_props: GestureProps): Markup {
  throw new SvcError(
    "SVC_DEFINITION",
    '<Gesture> was called as a function. It works only as JSX in a .tsx file that "svc dev" or "svc build" compiles.',
  );
}
