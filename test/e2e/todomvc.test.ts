/** examples/todomvc against TodoMVC's specification, heading by heading (https://github.com/tastejs/todomvc/blob/master/app-spec.md). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openTab, savePicture, seriousViolations, type Tab } from "./browser.ts";
import { startBuiltIn, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  app = await startBuiltIn("examples/todomvc");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

const SAVED = "todos-svc";

interface Saved {
  title: string;
  completed: boolean;
}

class TodoPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Types the next title only once the field is empty: Enter waits until the code has loaded, and its handler reads the field at that time. */
  async add(...titles: string[]): Promise<void> {
    for (const title of titles) {
      await this.page.fill(".new-todo", title);
      await this.page.press(".new-todo", "Enter");
      if (title.trim() !== "")
        await this.page.waitForFunction(() => document.querySelector<HTMLInputElement>(".new-todo")?.value === "");
    }
  }

  /** Waits until the list matches. A title after "x" is of a completed todo. */
  async shows(...rows: string[]): Promise<void> {
    await this.page.waitForFunction(
      (expected) => {
        const all = [...document.querySelectorAll(".todo-list li")].map(
          (row) => (row.classList.contains("completed") ? "x " : "") + (row.querySelector("label")?.textContent ?? ""),
        );
        return JSON.stringify(all) === JSON.stringify(expected);
      },
      rows,
      { timeout: 30_000 },
    );
    const boxes = await this.page
      .locator(".toggle")
      .evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
    assert.deepEqual(
      boxes,
      rows.map((row) => row.startsWith("x ")),
    );
  }

  async counts(text: string): Promise<void> {
    await this.page.locator(".todo-count", { hasText: text }).waitFor();
  }

  toggle(at: number): Promise<void> {
    return this.page.locator(".toggle").nth(at).click();
  }

  go(name: "All" | "Active" | "Completed"): Promise<void> {
    return this.page.getByRole("link", { name, exact: true }).click();
  }

  /** Begins to edit, and leaves the text in the field. */
  async edit(at: number, text: string): Promise<void> {
    const row = this.page.locator(".todo-list li").nth(at);
    await row.locator("label").dblclick();
    await row.locator(".edit").fill(text);
  }

  saved(): Promise<Saved[]> {
    return this.page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? "[]") as Saved[], SAVED);
  }
}

/** Runs in a browser with empty storage. */
async function visit(run: (todo: TodoPage, tab: Tab) => Promise<void>): Promise<void> {
  const tab = await openTab(browser);
  await tab.page.goto(app.url);
  await run(new TodoPage(tab.page), tab);
  await tab.close();
}

const story = (name: string, run: (todo: TodoPage, tab: Tab) => Promise<void>): void => void it(name, () => visit(run));

describe("No todos", () => {
  story("the list and its footer are hidden, and appear with the first todo", async (todo) => {
    assert.deepEqual([await todo.page.isVisible(".main"), await todo.page.isVisible(".footer")], [false, false]);
    await todo.add("Buy milk");
    await todo.shows("Buy milk");
    assert.deepEqual([await todo.page.isVisible(".main"), await todo.page.isVisible(".footer")], [true, true]);
  });
});

describe("New todo", () => {
  story("the field has the focus, and Enter appends its trimmed text and empties the field", async (todo) => {
    await todo.page.waitForSelector(".new-todo:focus");
    await todo.add("  Buy milk  ", "Call Ada");
    await todo.shows("Buy milk", "Call Ada");
    assert.equal(await todo.page.inputValue(".new-todo"), "");
  });

  story("blank text adds nothing", async (todo) => {
    await todo.add("   ", "Call Ada");
    await todo.shows("Call Ada");
  });
});

describe("Mark all as complete", () => {
  story("completes all, and reverts that", async (todo) => {
    await todo.add("One", "Two");
    await todo.toggle(1);
    await todo.page.check("#toggle-all");
    await todo.shows("x One", "x Two");
    await todo.page.uncheck("#toggle-all");
    await todo.shows("One", "Two");
  });

  story("follows the state of the todos", async (todo) => {
    await todo.add("One", "Two");
    await todo.toggle(0);
    await todo.toggle(1);
    await todo.page.waitForSelector("#toggle-all:checked");
    await todo.toggle(0);
    await todo.page.waitForSelector("#toggle-all:not(:checked)");
  });

  story("is unchecked once the completed ones are cleared", async (todo) => {
    await todo.add("One");
    await todo.page.check("#toggle-all");
    await todo.page.click(".clear-completed");
    await todo.shows();
    await todo.add("Two");
    await todo.page.waitForSelector("#toggle-all:not(:checked)");
  });
});

describe("Item", () => {
  story("its box completes it, and its button removes it", async (todo) => {
    await todo.add("One", "Two", "Three");
    await todo.toggle(1);
    await todo.shows("One", "x Two", "Three");
    await todo.page.locator(".todo-list li").nth(1).hover();
    await todo.page.locator(".destroy").nth(1).click();
    await todo.shows("One", "Three");
  });
});

describe("Editing", () => {
  story("a double click shows only the field, with the title and the focus", async (todo) => {
    await todo.add("One", "Two");
    await todo.page.locator(".todo-list label").nth(1).dblclick();
    const row = todo.page.locator(".todo-list li.editing");
    assert.equal(await row.locator(".edit").inputValue(), "Two");
    await row.locator(".edit:focus").waitFor();
    assert.equal(await row.locator(".view").isVisible(), false);
  });

  story("Enter and blur save the trimmed text", async (todo) => {
    await todo.add("One", "Two");
    await todo.edit(0, "  Uno  ");
    await todo.page.keyboard.press("Enter");
    await todo.shows("Uno", "Two");
    await todo.edit(1, "Due");
    await todo.page.focus(".new-todo");
    await todo.shows("Uno", "Due");
    assert.equal(await todo.page.locator("li.editing").count(), 0);
  });

  story("Escape restores the title, also for the next edit", async (todo) => {
    await todo.add("One");
    await todo.edit(0, "Uno");
    await todo.page.keyboard.press("Escape");
    await todo.shows("One");
    await todo.page.locator(".todo-list label").dblclick();
    assert.equal(await todo.page.locator(".edit").inputValue(), "One");
  });

  story("an empty title removes the todo", async (todo) => {
    await todo.add("One", "Two");
    await todo.edit(0, "   ");
    await todo.page.keyboard.press("Enter");
    await todo.shows("Two");
  });
});

describe("Counter", () => {
  story("shows the number of open todos, in bold and with the right plural", async (todo) => {
    await todo.add("One");
    await todo.counts("1 item left");
    await todo.add("Two");
    await todo.counts("2 items left");
    assert.equal(await todo.page.textContent(".todo-count strong"), "2");
    await todo.toggle(0);
    await todo.toggle(1);
    await todo.counts("0 items left");
  });
});

describe("Clear completed", () => {
  story("removes the completed todos, and is hidden if there are none", async (todo) => {
    await todo.add("One", "Two");
    assert.equal(await todo.page.isVisible(".clear-completed"), false);
    await todo.toggle(0);
    await todo.page.click(".clear-completed");
    await todo.shows("Two");
    assert.equal(await todo.page.isVisible(".clear-completed"), false);
  });
});

describe("Persistence", () => {
  story("restores titles and completion, but not editing", async (todo) => {
    await todo.add("One", "Two");
    await todo.toggle(1);
    await todo.edit(0, "Half");
    await todo.page.waitForFunction((key) => localStorage.getItem(key)?.includes('"completed":true'), SAVED);
    await todo.page.reload();
    await todo.shows("One", "x Two");
    assert.equal(await todo.page.locator("li.editing").count(), 0);
    assert.deepEqual(
      (await todo.saved()).map(({ title, completed }) => ({ title, completed })),
      [
        { title: "One", completed: false },
        { title: "Two", completed: true },
      ],
    );
  });

  story("ignores invalid data of another program", async (todo) => {
    await todo.page.evaluate(
      (key) => localStorage.setItem(key, '[{"title":1},7,{"id":1,"title":"a","completed":true}]'),
      SAVED,
    );
    await todo.page.reload();
    await todo.shows("x a");
    await todo.page.evaluate((key) => localStorage.setItem(key, "{"), SAVED);
    await todo.page.reload();
    await todo.add("b");
    await todo.shows("b");
  });
});

describe("Routing", () => {
  story("shows all, the active or the completed, and marks the link", async (todo) => {
    await todo.add("One", "Two", "Three");
    await todo.toggle(1);
    await todo.go("Active");
    await todo.shows("One", "Three");
    assert.equal(await todo.page.textContent(".filters .selected"), "Active");
    await todo.go("Completed");
    await todo.shows("x Two");
    await todo.go("All");
    await todo.shows("One", "x Two", "Three");
  });

  story("a changed todo disappears from a list that it no longer matches", async (todo) => {
    await todo.add("One", "Two");
    await todo.go("Active");
    await todo.toggle(0);
    await todo.shows("Two");
  });

  story("the browser's back button works, and a reload keeps the filter", async (todo) => {
    await todo.add("One", "Two");
    await todo.toggle(0);
    await todo.go("Active");
    await todo.go("Completed");
    await todo.shows("x One");
    await todo.page.goBack();
    await todo.shows("Two");
    await todo.page.reload();
    await todo.shows("Two");
    assert.equal(await todo.page.textContent(".filters .selected"), "Active");
  });
});

describe("The page", () => {
  story("has no serious accessibility violations, light and dark", async (todo) => {
    await todo.add("Buy milk", "Call Ada");
    await todo.toggle(0);
    for (const colorScheme of ["light", "dark"] as const) {
      await todo.page.emulateMedia({ colorScheme });
      assert.deepEqual(await seriousViolations(todo.page), []);
      await savePicture(todo.page, `todomvc-${colorScheme}`);
    }
  });

  it("shows a message without JavaScript", async () => {
    const tab = await openTab(browser, { javaScriptEnabled: false });
    await tab.page.goto(app.url);
    assert.match(await tab.page.innerText("noscript"), /needs JavaScript/);
    await tab.close();
  });
});
