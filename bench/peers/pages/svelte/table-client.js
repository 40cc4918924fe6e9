import { hydrate } from "svelte";
import RowTable from "./RowTable.svelte";

const rows = JSON.parse(document.getElementById("data").textContent);
hydrate(RowTable, { target: document.getElementById("root"), props: { rows } });
