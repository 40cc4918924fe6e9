/** The same rows as bench/app/pages/table-data.ts: the first ones for the server, the others for the browser. */
const ADJECTIVES = "pretty large big small tall short long handsome plain quaint clean elegant easy angry crazy".split(
  " ",
);
const COLOURS = "red yellow blue green pink brown purple white black orange".split(" ");
const NOUNS = "table chair house desk car pony cookie sandwich burger pizza mouse keyboard".split(" ");

export { newRows } from "../dom/data.js";

export function firstRows(count) {
  return Array.from({ length: count }, (_, at) => ({
    id: -1 - at,
    label: `${ADJECTIVES[at % ADJECTIVES.length]} ${COLOURS[at % COLOURS.length]} ${NOUNS[at % NOUNS.length]}`,
  }));
}
