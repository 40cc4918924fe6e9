/** Types of event handlers: `onClick={(event, button) => …}`. The second argument is the element with the handler. */

/**
 * Runs in the browser. A statement `event.preventDefault()` at the top of the handler takes effect at once, before the handler's code
 * is loaded (docs/resume-protocol.md section 2). `event.currentTarget` is `element`.
 */
export type Handler<E extends Event, Target> = (event: Heard<E, Target>, element: Target) => unknown;

/** An event as a handler receives it. Its current target is the element with the handler, even if the handler runs after the dispatch. */
export type Heard<E, Target> = E & { readonly currentTarget: Target };

/**
 * A handler with options. Each option is a literal `true` or `false`, since it is evaluated at build time; `preventDefault` may also be a
 * function. The handler may be omitted: `onDragOver={{ preventDefault: true }}`.
 */
export interface Listener<E extends Event, Target> extends Omit<GlobalListener<E, Target>, "preventDefault"> {
  /** Runs before the handlers of inner elements, outermost first; same as `onClickCapture`. */
  capture?: boolean;
  /**
   * Prevents the default action at once, before any code is loaded. A function decides it for each event: it may use only its parameters
   * and names of the browser. `false`: the handler decides, which may be too late for the first event.
   */
  preventDefault?: boolean | EarlyTest<E, Target>;
  /** Does not run the handlers of outer elements. */
  stopPropagation?: boolean;
}

/** Runs in the page before any code is loaded, so it may use only its parameters and names of the browser. */
export type EarlyTest<E extends Event, Target> = (event: E, element: Target) => boolean;

/** Options of events of window and document, which arrive after those of elements. */
export interface GlobalListener<E extends Event, Target> {
  handler?: Handler<E, Target>;
  /** Decides for each event, before any code is loaded, whether to prevent the default action. `false`: the handler decides. */
  preventDefault?: false | EarlyTest<E, Target>;
  /** Handles only the first event of each element. */
  once?: boolean;
  /** For wheel and touch events: `false` makes the browser wait for the handler before it scrolls. Default: `true`, as in browsers. */
  passive?: boolean;
}

/** Handler property -> type of its event. Names follow the DOM, in camel case. */
interface EventTypes {
  onAbort: UIEvent;
  onAnimationCancel: AnimationEvent;
  onAnimationEnd: AnimationEvent;
  onAnimationIteration: AnimationEvent;
  onAnimationStart: AnimationEvent;
  onAuxClick: PointerEvent;
  onBeforeInput: InputEvent;
  onBeforeToggle: ToggleEvent;
  onBlur: FocusEvent;
  onCanPlay: Event;
  onCancel: Event;
  onChange: Event;
  onClick: PointerEvent;
  onClose: Event;
  onCompositionEnd: CompositionEvent;
  onCompositionStart: CompositionEvent;
  onCompositionUpdate: CompositionEvent;
  onContextMenu: PointerEvent;
  onCopy: ClipboardEvent;
  onCut: ClipboardEvent;
  onDblClick: MouseEvent;
  onDrag: DragEvent;
  onDragEnd: DragEvent;
  onDragEnter: DragEvent;
  onDragLeave: DragEvent;
  onDragOver: DragEvent;
  onDragStart: DragEvent;
  onDrop: DragEvent;
  onDurationChange: Event;
  onEnded: Event;
  onError: Event;
  onFocus: FocusEvent;
  onFocusIn: FocusEvent;
  onFocusOut: FocusEvent;
  onGotPointerCapture: PointerEvent;
  onInput: InputEvent;
  onInvalid: Event;
  onKeyDown: KeyboardEvent;
  onKeyUp: KeyboardEvent;
  onLoadedData: Event;
  onLoadedMetadata: Event;
  onLostPointerCapture: PointerEvent;
  onMouseDown: MouseEvent;
  onMouseEnter: MouseEvent;
  onMouseLeave: MouseEvent;
  onMouseMove: MouseEvent;
  onMouseOut: MouseEvent;
  onMouseOver: MouseEvent;
  onMouseUp: MouseEvent;
  onPaste: ClipboardEvent;
  onPause: Event;
  onPlay: Event;
  onPlaying: Event;
  onPointerCancel: PointerEvent;
  onPointerDown: PointerEvent;
  onPointerEnter: PointerEvent;
  onPointerLeave: PointerEvent;
  onPointerMove: PointerEvent;
  onPointerOut: PointerEvent;
  onPointerOver: PointerEvent;
  onPointerUp: PointerEvent;
  onProgress: ProgressEvent;
  onReset: Event;
  onResize: UIEvent;
  onScroll: Event;
  onScrollEnd: Event;
  onSearch: Event;
  onSeeked: Event;
  onSelect: Event;
  onSlotChange: Event;
  onSubmit: SubmitEvent;
  onTimeUpdate: Event;
  onToggle: ToggleEvent;
  onTouchCancel: TouchEvent;
  onTouchEnd: TouchEvent;
  onTouchMove: TouchEvent;
  onTouchStart: TouchEvent;
  onTransitionCancel: TransitionEvent;
  onTransitionEnd: TransitionEvent;
  onTransitionRun: TransitionEvent;
  onTransitionStart: TransitionEvent;
  onVolumeChange: Event;
  onWheel: WheelEvent;
}

/** Events that only window or document dispatch. */
interface GlobalEventTypes extends EventTypes {
  onAfterPrint: Event;
  onBeforePrint: Event;
  onBeforeUnload: BeforeUnloadEvent;
  onFullscreenChange: Event;
  onHashChange: HashChangeEvent;
  onMessage: MessageEvent;
  onOffline: Event;
  onOnline: Event;
  onPageHide: PageTransitionEvent;
  onPageShow: PageTransitionEvent;
  onPopState: PopStateEvent;
  onSelectionChange: Event;
  onStorage: StorageEvent;
  onVisibilityChange: Event;
}

type Names<Types> = keyof Types & string;

/** Handlers of an element of type `Target`. */
export type EventHandlers<Target> = {
  [Name in Names<EventTypes>]?: Handler<EventTypes[Name], Target> | Listener<EventTypes[Name], Target> | undefined;
} & {
  [Name in Names<EventTypes> as `${Name}Capture`]?:
    | Handler<EventTypes[Name], Target>
    | Listener<EventTypes[Name], Target>
    | undefined;
} & {
  /** Handles the event wherever it happens: `onWindowResize`, `onDocumentKeyDown`. The second argument is the element with the handler. */
  [Name in Names<GlobalEventTypes> as Name extends `on${infer Type}` ? `on${"Window" | "Document"}${Type}` : never]?:
    | Handler<GlobalEventTypes[Name], Target>
    | GlobalListener<GlobalEventTypes[Name], Target>
    | undefined;
} & {
  /** A custom event of the app, by its exact name: `on:cart-changed`. */
  [Name in `on:${string}`]?: Handler<CustomEvent, Target> | Listener<CustomEvent, Target> | undefined;
};
