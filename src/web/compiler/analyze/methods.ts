/** Methods of the platform by what they do to their object. */

/** Methods of arrays and texts that change nothing. They run the functions that they get. */
export const METHODS = new Set(
  (
    "map filter flatMap find findLast some every reduce slice concat flat toSorted toReversed join includes indexOf at keys values entries " +
    "trim toUpperCase toLowerCase split startsWith endsWith padStart padEnd repeat replace replaceAll charAt toFixed toString"
  ).split(" "),
);

/** Methods that change an array, a map or a set. */
export const CHANGING_METHODS = new Set(
  "push pop shift unshift splice sort reverse fill copyWithin set add delete clear".split(" "),
);
