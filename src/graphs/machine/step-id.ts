/**
 * Ids of steps: the result under a key is stored in a row `node#key`. Authors choose keys; `#` and `/` have a meaning in ids, and `~`
 * marks counted keys (`sleep~2`).
 */
import { FinalError } from "../definition/final-error.ts";

const KEY = /^[\w.:@+=, -]{1,100}$/;

export function isInner(nodeId: string): boolean {
  return nodeId.includes("#");
}

/** Name of the node to which an id belongs: `inspect` for `inspect/3#fetch`. */
export function definitionName(nodeId: string): string {
  const [item, inner] = [nodeId.indexOf("/"), nodeId.indexOf("#")];
  if (item === -1 && inner === -1) return nodeId;
  return nodeId.slice(0, item === -1 ? inner : inner === -1 ? item : Math.min(item, inner));
}

/** Prefix of the ids of all steps of a node. */
export function innerPrefix(nodeId: string): string {
  return `${nodeId}#`;
}

/** Id of the node whose worker has created a step. */
export function ownerOf(stepId: string): string {
  return stepId.slice(0, stepId.lastIndexOf("#"));
}

/** Id of the call to which a step belongs: itself, or the `ctx.map` of an item. */
export function callId(nodeId: string): string {
  const item = nodeId.indexOf("/", nodeId.lastIndexOf("#"));
  return item === -1 ? nodeId : nodeId.slice(0, item);
}

/** The keys that one attempt has used. */
export class Keys {
  readonly #nodeId: string;
  readonly #ids = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(nodeId: string) {
    this.#nodeId = nodeId;
  }

  /** Id of a step. @param call name for the message: `step`. @throws FinalError for an invalid or repeated key. */
  use(call: string, key: string): string {
    if (typeof key !== "string" || !KEY.test(key))
      throw new FinalError(
        `"${String(key).slice(0, 120)}" is not a valid key for ctx.${call} in "${this.#nodeId}"; use 1 to 100 letters, digits, spaces or any of . _ : @ + = , -`,
      );
    // Counted keys contain a character that authors can't use.
    const id = innerPrefix(this.#nodeId) + key;
    if (this.#ids.has(id))
      throw new FinalError(
        `The key "${key}" was used before in this attempt of "${this.#nodeId}"; ctx.${call} needs a unique key, such as "${key}:2"`,
      );
    return this.#note(id);
  }

  /** Whether the attempt has made the call with this id. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Id of a call without a key: a word and its number. */
  count(word: string): string {
    const count = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, count);
    return this.#note(`${innerPrefix(this.#nodeId)}${word}~${count}`);
  }

  /** Like `use`, but a name that the same call used before gets a number. */
  useAgain(call: string, name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count === 1 ? this.use(call, name) : this.#note(`${innerPrefix(this.#nodeId)}${name}~${count}`);
  }

  #note(id: string): string {
    this.#ids.add(id);
    return id;
  }
}
