/** Handlers of host elements: `onClick={(event, button) => …}`, the second argument being the element that carries it. */

/**
 * Runs in the browser. `event.preventDefault()` as a statement of its own at the top of the handler is decided without
 * waiting for code (docs/resume-protocol.md section 2).
 */
export type Handler<E extends Event, Target> = (event: E, element: Target) => unknown;

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
  onInput: InputEvent;
  onInvalid: Event;
  onKeyDown: KeyboardEvent;
  onKeyUp: KeyboardEvent;
  onLoadedData: Event;
  onLoadedMetadata: Event;
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

/** Handlers of an element of type `Target`. */
export type EventHandlers<Target> = {
  [Name in keyof EventTypes]?: Handler<EventTypes[Name], Target> | undefined;
};
