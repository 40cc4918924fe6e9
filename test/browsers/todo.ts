/** Stories of examples/todomvc: typing, lists, double clicks, hash routes, storage. */
import assert from "node:assert/strict";
import { startBuiltIn } from "../e2e/built-app.ts";
import type { Act, Scene } from "./stage.ts";
import { open, until, type Visitor } from "./visitor.ts";

/** Waits until the list matches. A title after "x" is of a completed todo. */
const lists = (visitor: Visitor, ...rows: string[]): Promise<void> =>
  until(
    visitor,
    (expected) =>
      [...document.querySelectorAll(".todo-list li")]
        .map((row) => (row.classList.contains("completed") ? "x " : "") + row.querySelector("label")?.textContent)
        .join() === expected,
    rows.join(),
  );

async function withTodos({ visitor, url }: Scene, ...titles: string[]): Promise<void> {
  await open(visitor, `${url}/`);
  await visitor.click(".new-todo");
  for (const title of titles) {
    await visitor.type(title);
    await visitor.press("Enter");
    // The first Enter waits for code, and its handler reads the field when it runs.
    await until(visitor, () => document.querySelector<HTMLInputElement>(".new-todo")?.value === "");
  }
  await lists(visitor, ...titles);
}

export const todo: Act = {
  name: "todos",
  start: async () => {
    const app = await startBuiltIn("examples/todomvc");
    return { url: app.url, stop: () => app.close() };
  },
  stories: {
    "Enter adds todos in order": async (scene) => {
      await withTodos(scene, "one", "two", "three");
    },
    "Enter that ends the composition of an input method adds nothing": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one");
      await visitor.run(() => {
        const field = document.querySelector<HTMLInputElement>(".new-todo");
        if (field) field.value = "にほん";
        for (const init of [{ isComposing: true }, { isComposing: false, keyCode: 229 }])
          field?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, ...init }));
      });
      await lists(visitor, "one");
      assert.equal(await visitor.run(() => document.querySelector<HTMLInputElement>(".new-todo")?.value), "にほん");
      await visitor.press("Enter");
      await lists(visitor, "one", "にほん");
    },
    "a box completes a todo, and the box above all": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one", "two");
      await visitor.click(".todo-list li:nth-child(2) .toggle");
      await lists(visitor, "one", "x two");
      await visitor.run(() => document.querySelector<HTMLElement>("#toggle-all")?.click());
      await lists(visitor, "x one", "x two");
    },
    "a double click edits a title, and Enter saves it": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one", "two");
      await visitor.doubleClick(".todo-list li:nth-child(1) label");
      await until(visitor, () => document.activeElement?.className === "edit");
      await visitor.type("!");
      await visitor.press("Enter");
      await until(visitor, () => /^!?one!?$/.test(document.querySelector(".todo-list label")?.textContent ?? ""));
      await until(visitor, () => document.querySelector(".todo-list label")?.textContent !== "one");
    },
    "Escape ends the editing and keeps the title": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one");
      await visitor.doubleClick(".todo-list label");
      await until(visitor, () => document.activeElement?.className === "edit");
      await visitor.type("gone");
      await visitor.press("Escape");
      await until(visitor, () => !document.querySelector(".editing"));
      await lists(visitor, "one");
    },
    "the filters show what their addresses say": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one", "two");
      await visitor.click(".todo-list li:nth-child(1) .toggle");
      await visitor.click("a", "Active");
      await lists(visitor, "two");
      await visitor.click("a", "Completed");
      await lists(visitor, "x one");
      await visitor.run(() => history.back());
      await lists(visitor, "two");
    },
    "completed todos are cleared": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one", "two");
      await visitor.click(".todo-list li:nth-child(1) .toggle");
      await visitor.click(".clear-completed");
      await lists(visitor, "two");
    },
    "todos survive a reload": async (scene) => {
      const { visitor } = scene;
      await withTodos(scene, "one");
      await until(visitor, () => localStorage.getItem("todos-svc")?.includes("one"));
      // Later, because a page that reloads cannot answer.
      await visitor.run(() => void setTimeout(() => location.reload()));
      await lists(visitor, "one");
      const saved = await visitor.run(() => localStorage.getItem("todos-svc"));
      assert.match(String(saved), /"one"/);
    },
  },
};
