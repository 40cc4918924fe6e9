import { hydrate } from "solid-js/web";
import { RowTable } from "./table.solid.jsx";

const rows = JSON.parse(document.getElementById("data").textContent);
hydrate(() => <RowTable rows={rows} />, document.getElementById("root"));
