import { hydrate } from "svelte";
import Todos from "./Todos.svelte";

const todos = JSON.parse(document.getElementById("data").textContent);
hydrate(Todos, { target: document.getElementById("root"), props: { todos } });
