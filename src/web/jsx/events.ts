/** Handlers of host elements: `onClick={(event, button) => …}`, the second argument being the element that carries it. */

/**
 * Runs in the browser. `event.preventDefault()` as a statement of its own at the top of the handler is decided without
 * waiting for code (docs/resume-protocol.md section 2). `event.currentTarget` is `element`.
 */
export type Handler<E extends Event, Target> = (event: Heard<E, Target>, element: Target) => unknown;

/** An event as a handler gets it: late or early, its current target is the element that carries the handler. */
export type Heard<E, Target> = E & { readonly currentTarget: Target };

/**
 * A handler with options, each written as `true` or `false`, for they are decided at build time. Without a handler the
 * options are all that happens: `onDragOver={{ preventDefault: true }}`.
 */
export interface Listener<E extends Event, Target> extends GlobalListener<E, Target> {
  /** Before the handlers of the elements inside, outermost first; as `onClickCapture`. */
  capture?: boolean;
  /** At once, before any code is there. */
  preventDefault?: boolean;
  /** Handlers further out are not run. */
  stopPropagation?: boolean;
}

/** Options of events of window and document, about which nothing is decided ahead. */
export interface GlobalListener<E extends Event, Target> {
  handler?: Handler<E, Target>;
  /** The first time only, for each element. */
  once?: boolean;
  /** Of wheel and touch: `false` has the browser wait for the handler before it scrolls. Default: `true`, as browsers do. */
  passive?: boolean;
}

/** Handler property -> type of its event. Names are those of the DOM in camel case. */
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

/** Events that only window or document have. */
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
  /** Heard wherever it happens: `onWindowResize`, `onDocumentKeyDown`. The element is the one that carries the handler. */
  [Name in Names<GlobalEventTypes> as Name extends `on${infer Type}` ? `on${"Window" | "Document"}${Type}` : never]?:
    | Handler<GlobalEventTypes[Name], Target>
    | GlobalListener<GlobalEventTypes[Name], Target>
    | undefined;
} & {
  /** An event of the author's, by its exact name: `on:cart-changed`. */
  [Name in `on:${string}`]?: Handler<CustomEvent, Target> | Listener<CustomEvent, Target> | undefined;
};
