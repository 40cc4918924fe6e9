/**
 * Lets a thread finish what it is at before its process ends: one that is ended in the midst of a native call of libsql has the whole
 * process aborted. Held in memory that both sides share, since at its end a process hears no messages.
 */

const WRITING = 0;
const SHUT = 1;
/** A commit that takes longer is cut off as by a kill, which harms nothing that was told. */
const LONGEST_MS = 5000;

export class ExitGate {
  /** Given to the other side as it is. */
  readonly shared: SharedArrayBuffer;
  readonly #flags: Int32Array<SharedArrayBuffer>;

  constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#flags = new Int32Array(shared);
  }

  /** The thread's side. @returns whether it may begin; then `leave` is called at the end of it. */
  enter(): boolean {
    Atomics.store(this.#flags, WRITING, 1);
    if (Atomics.load(this.#flags, SHUT) === 0) return true;
    this.leave();
    return false;
  }

  leave(): void {
    Atomics.store(this.#flags, WRITING, 0);
    Atomics.notify(this.#flags, WRITING);
  }

  /** The other side: waits until the thread is at nothing, and lets it begin nothing more. */
  readonly shut = (): void => {
    Atomics.store(this.#flags, SHUT, 1);
    Atomics.wait(this.#flags, WRITING, 1, LONGEST_MS);
  };
}
