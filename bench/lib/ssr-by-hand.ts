/** The reference: handwritten rendering. Concatenation in a loop, with each text escaped for its position. */
import type { Tile, User } from "./ssr-data.ts";

const text = (value: string): string => (value.includes("<") || value.includes("&") ? escaped(value) : value);
const attribute = (value: string): string =>
  value.includes('"') || value.includes("&") || value.includes("<") ? escaped(value) : value;

function escaped(value: string): string {
  let out = "";
  let last = 0;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code !== 38 && code !== 60 && code !== 34) continue;
    out += value.slice(last, at) + (code === 38 ? "&amp;" : code === 60 ? "&lt;" : "&quot;");
    last = at + 1;
  }
  return out + value.slice(last);
}

export function spiral(tiles: readonly Tile[]): string {
  let out = '<div id="wrapper">';
  for (const { x, y } of tiles) {
    out += `<div class="tile" style="left:${x.toFixed(2)}px;top:${y.toFixed(2)}px"></div>`;
  }
  return `${out}</div>`;
}

export function table(users: readonly User[]): string {
  let out =
    "<table><thead><tr><th>Id</th><th>Name</th><th>Email</th><th>Bio</th><th>State</th><th>Visits</th></tr></thead><tbody>";
  for (const { id, name, email, bio, title, active, visits } of users) {
    out += `<tr class="${active ? "on" : "off"}" data-id="${id}"><td>${id}</td><td title="${attribute(title)}">${text(name)}</td><td><a href="mailto:${attribute(email)}">${text(email)}</a></td><td>${text(bio)}</td><td>${active ? "active" : "idle"}</td><td>${visits}</td></tr>`;
  }
  return `${out}</tbody></table>`;
}
