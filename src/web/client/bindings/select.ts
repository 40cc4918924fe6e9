/**
 * `select.js`: comparisons with a signal in rows, such as `selected.value === row.id`. A change of the signal updates only the readers
 * that compared it with the previous or the new value, since no other result changes.
 */
import { Cell, guard, scoped, watch } from "../runtime/core.ts";

/** Compared value -> cell with the result of the comparison. */
type Answers = Map<unknown, Cell>;

const asked = new WeakMap<Cell, Answers>();

const follow = (signal: Cell): Answers => {
  const answers: Answers = new Map();
  let before = signal._value;
  // Owned by no row, and in no place: it lasts as long as the signal.
  scoped(true, () =>
    guard._run(() =>
      watch(
        () => signal.value,
        (now) => {
          const was = answers.get(before);
          if (was) was.value = false;
          before = now;
          const is = answers.get(now);
          if (is) is.value = true;
        },
        true,
      ),
    ),
  );
  asked.set(signal, answers);
  return answers;
};

const answerOf = (signal: Cell, key: unknown): Cell => {
  const answers = asked.get(signal) ?? follow(signal);
  const known = answers.get(key);
  if (known) return known;
  // Whenever the size reaches a power of two, remove results that no row reads any more.
  if (!(answers.size & (answers.size - 1))) answers.forEach((gone, old) => gone._readers?.size || answers.delete(old));
  const answer = new Cell(signal._value === key);
  answers.set(key, answer);
  return answer;
};

/** `signal.value === key`. The compared value may not be a signal at run time but a prop or a store. */
export const is = (signal: { value: unknown }, key: unknown): boolean => {
  if (!(signal instanceof Cell) || signal._run) return signal.value === key;
  void answerOf(signal, key).value;
  // The cell is updated a moment after the signal. Code that runs before that must not see the previous result.
  return signal._value === key;
};

/** `key === signal.value` */
export const eq = (key: unknown, signal: { value: unknown }): boolean => is(signal, key);
