/** Whether the engine may start work. Set when the engine closes, read by its parts. */
export class EngineState {
  /** Whether nodes run in this process. */
  readonly isRunner: boolean;
  /** Nothing new starts; running attempts may end. */
  isClosing = false;

  constructor(isRunner: boolean) {
    this.isRunner = isRunner;
  }

  /** Whether an attempt may start here. */
  get mayStart(): boolean {
    return this.isRunner && !this.isClosing;
  }
}
