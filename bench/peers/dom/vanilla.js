/** The handwritten table workload, the fastest version with a single table: it shows the browser's own cost. */
import { newRows } from "./data.js";

const template = document.createElement("template");
template.innerHTML =
  '<tr><td class="col-md-1"> </td><td class="col-md-4"><a class="lbl"> </a></td><td class="col-md-1"><a class="remove">x</a></td><td class="col-md-6"></td></tr>';
document.body.innerHTML =
  "<main>" +
  ["run", "runlots", "add", "update", "clear", "swaprows"].map((id) => `<button id="${id}">${id}</button>`).join("") +
  "<table><tbody></tbody></table></main>";
const body = document.querySelector("tbody");
let selected;

function append(rows) {
  for (const { id, label } of rows) {
    const row = template.content.firstElementChild.cloneNode(true);
    row.firstChild.firstChild.data = id;
    row.childNodes[1].firstChild.firstChild.data = label;
    body.append(row);
  }
}

const actions = {
  run() {
    body.textContent = "";
    append(newRows(1000));
  },
  runlots() {
    body.textContent = "";
    append(newRows(10_000));
  },
  add: () => append(newRows(1000)),
  update() {
    for (let at = 0; at < body.childNodes.length; at += 10) {
      body.childNodes[at].childNodes[1].firstChild.firstChild.data += " !!!";
    }
  },
  clear: () => (body.textContent = ""),
  swaprows() {
    const [second, last] = [body.childNodes[1], body.childNodes[998]];
    const next = last.nextSibling;
    const third = second.nextSibling;
    body.insertBefore(second, next);
    body.insertBefore(last, third);
  },
};

document.querySelectorAll("button").forEach((button) => (button.onclick = actions[button.id]));
body.onclick = ({ target }) => {
  const row = target.closest("tr");
  if (target.className === "remove") row.remove();
  else if (target.className === "lbl") {
    if (selected) selected.className = "";
    selected = row;
    row.className = "danger";
  }
};
