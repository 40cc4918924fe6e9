/** Forms of the full-stack variant in a browser: each story runs with JavaScript and without, and must end the same way. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page, Route } from "playwright-core";
import { launchBrowser, openTab, seriousViolations, slowDown } from "./browser.ts";
import { startBuilt, type BuiltApp } from "./built-app.ts";

let app: BuiltApp;
let browser: Browser;

before(async () => {
  process.env["SVC_RATE_SUBMITS"] = "1000";
  app = await startBuilt("forms");
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await app?.close();
});

/** The arguments of handlers since the last call. */
async function ran(): Promise<Record<string, unknown>[]> {
  return (await (await fetch(`${app.url}/ran`)).json()) as Record<string, unknown>[];
}

const HOSTILE = `<>&"'\u2028]]></textarea><script>alert(1)</script>`;
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

interface Story {
  page: Page;
  /** Whether scripts run. */
  isScripted: boolean;
  takeComplaints: () => string[];
}

async function inTab(
  path: string,
  javaScriptEnabled: boolean,
  story: (given: Story) => Promise<void>,
  isSlow = false,
): Promise<void> {
  await ran();
  const { page, close, takeComplaints } = await openTab(browser, { javaScriptEnabled });
  if (isSlow) await slowDown(page);
  await page.goto(app.url + path);
  await story({ page, isScripted: javaScriptEnabled, takeComplaints });
  await close();
}

/** Chromium logs responses with an error status in the console, as expected. */
function expectComplaint({ takeComplaints, isScripted }: Story, status: number): void {
  const complaints = takeComplaints().filter((text) => !text.includes(`status of ${status}`));
  assert.deepEqual(complaints, [], `scripted: ${isScripted}`);
}

function twice(name: string, path: string, story: (given: Story) => Promise<void>): void {
  for (const isScripted of [true, false])
    it(`${name}, ${isScripted ? "with" : "without"} JavaScript`, () => inTab(path, isScripted, story));
}

/** On a slow network, a visitor may submit a form before its script has loaded. */
function thrice(name: string, path: string, story: (given: Story) => Promise<void>): void {
  twice(name, path, story);
  it(`${name}, on a slow network`, () => inTab(path, true, story, true));
}

describe("a refused form", () => {
  thrice(
    "is shown again with its values, the errors beside the fields, and the focus on the first error",
    "/",
    async (story) => {
      const { page } = story;
      await page.fill("#save-profile-email", "nobody");
      await page.fill("#save-profile-age", "7");
      await page.fill("#save-profile-bio", HOSTILE);
      await page.fill("#save-profile-password", "hunter2");
      await page.selectOption("#save-profile-role", "writer");
      await page.check("#save-profile-tags-c");
      await page.click("#save");
      await page.waitForSelector("#save-profile-errors");
      assert.deepEqual(await page.locator("#save-profile-errors a").allTextContents(), [
        "Tell us your name",
        "This is no e-mail address",
        "You must be 18 or older",
      ]);
      assert.equal(await page.inputValue("#save-profile-email"), "nobody");
      assert.equal(await page.inputValue("#save-profile-bio"), HOSTILE);
      assert.equal(await page.inputValue("#save-profile-role"), "writer");
      assert.equal(await page.isChecked("#save-profile-tags-b"), true);
      assert.equal(await page.isChecked("#save-profile-tags-c"), true);
      assert.equal(await page.isChecked("#save-profile-agree"), false);
      // Scripts keep the password where it was typed. No page ever contains it.
      assert.equal(await page.getAttribute("#save-profile-password", "value"), null);
      assert.equal(await page.getAttribute("#save-profile-name", "aria-invalid"), "true");
      await page.waitForSelector("#save-profile-name:focus");
      const described = (await page.getAttribute("#save-profile-name", "aria-describedby"))?.split(" ") ?? [];
      assert.equal(described.length, 2);
      for (const id of described) assert.ok(await page.textContent(`#${id}`));
      // The accessibility checker is a script itself.
      if (story.isScripted) assert.deepEqual(await seriousViolations(page), []);
      assert.deepEqual(await ran(), []);
      expectComplaint(story, 422);
    },
  );

  twice("shows an error with a more specific status, and may be sent again", "/", async (story) => {
    const { page } = story;
    await page.fill("#save-profile-name", "taken");
    await page.fill("#save-profile-address-city", "Ulm");
    await page.click("#save");
    await page.waitForSelector("#save-profile-name-error");
    assert.equal(await page.textContent("#save-profile-name-error"), "This name is taken");
    expectComplaint(story, 409);
    await page.fill("#save-profile-name", "Ada");
    await page.click("#save");
    await page.waitForSelector(".svc-flash-success");
    assert.deepEqual(
      (await ran()).map(({ name }) => name),
      ["taken", "Ada"],
    );
  });
});

describe("a form whose handler fails", () => {
  twice("keeps its values, and runs again when it is sent again", "/", async (story) => {
    const { page } = story;
    await page.fill("#save-profile-name", "broken");
    for (const times of [1, 2]) {
      const answered = page.waitForResponse("**/_svc/submit/**");
      await page.click("#save");
      assert.equal((await answered).status(), 500);
      // A script updates the page, or the browser loads a new one.
      await page.waitForFunction(() =>
        document.querySelector("#save-profile")?.textContent?.includes("Internal error"),
      );
      assert.equal(await page.inputValue("#save-profile-name"), "broken");
      assert.equal((await ran()).length, 1, `sent ${times} times`);
    }
    expectComplaint(story, 500);
  });
});

describe("an accepted form", () => {
  thrice("gives its handler typed values, and its page shows the message once", "/", async ({ page }) => {
    await page.fill("#save-profile-name", "Ada & Co");
    await page.fill("#save-profile-age", "36.5");
    await page.fill("#save-profile-address-city", "Zürich");
    await page.check("#save-profile-tags-a");
    await page.check("#save-profile-agree");
    await page.click("#save");
    await page.waitForSelector(".svc-flash-success");
    assert.equal(await page.textContent(".svc-flash"), "Saved Ada & Co");
    assert.equal(page.url(), `${app.url}/`);
    assert.equal(await page.inputValue("#save-profile-name"), "");
    assert.equal(await page.inputValue("#save-profile-email"), "ada@example.com");
    assert.deepEqual(await ran(), [
      {
        name: "Ada & Co",
        email: "ada@example.com",
        age: 36.5,
        agree: true,
        tags: ["a", "b"],
        address: { city: "Zürich" },
        password: "",
        bio: "",
        role: "reader",
      },
    ]);
    await page.reload();
    assert.equal(await page.textContent(".svc-flash"), "");
  });

  thrice("redirects to the target of its handler", "/", async ({ page }) => {
    await page.fill("#save-profile-name", "away");
    await page.click("#save");
    await page.waitForURL("**/done?from=profile");
    assert.equal(await page.textContent("h1"), "Done from=profile");
  });

  thrice("uploads files, whose names are no paths", "/upload", async ({ page }) => {
    await page.fill("#upload-title", "Ünï");
    await page.setInputFiles("#upload-picture", { name: "../../a\u202egnp.exe", mimeType: "image/png", buffer: PNG });
    await page.setInputFiles("#upload-papers", [
      { name: "one.txt", mimeType: "text/plain", buffer: Buffer.from("first") },
      { name: "two.txt", mimeType: "text/plain", buffer: Buffer.from("second") },
    ]);
    await page.click("#send");
    await page.waitForURL("**/done");
    const [{ title, files } = { title: "", files: [] }] = await ran();
    assert.equal(title, "Ünï");
    assert.deepEqual(
      (files as { name: string; text: string; size: number }[]).map(({ name, size }) => [name, size]),
      [
        ["agnp.exe", PNG.length],
        ["one.txt", 5],
        ["two.txt", 6],
      ],
    );
  });
});

describe("a refused file", () => {
  twice("is reported beside its field: a content that does not match its type", "/upload", async (story) => {
    const { page } = story;
    await page.setInputFiles("#upload-picture", {
      name: "a.png",
      mimeType: "image/png",
      buffer: Buffer.from("<svg onload=alert(1)>"),
    });
    await page.click("#send");
    await page.waitForSelector("#upload-picture-error");
    assert.match((await page.textContent("#upload-picture-error")) ?? "", /accepts image\/png, image\/jpeg/);
    assert.deepEqual(await ran(), []);
    expectComplaint(story, 422);
  });

  twice("is reported beside its field: too many bytes", "/upload", async (story) => {
    const { page } = story;
    // Removes the limit, as in a page from before the limit was lowered.
    if (story.isScripted)
      await page.evaluate(() => document.querySelector("#upload-picture")?.removeAttribute("data-svc-max-bytes"));
    const buffer = Buffer.concat([PNG, Buffer.alloc(70 * 1024)]);
    await page.setInputFiles("#upload-picture", { name: "a.png", mimeType: "image/png", buffer });
    await page.click("#send");
    await page.waitForSelector("#upload-picture-error");
    assert.equal(await page.textContent("#upload-picture-error"), "The file is too large; at most 64 KB are allowed");
    expectComplaint(story, 413);
  });

  it("is reported before the upload if scripts run", async () => {
    await inTab("/upload", true, async ({ page }) => {
      const buffer = Buffer.concat([PNG, Buffer.alloc(70 * 1024)]);
      await page.setInputFiles("#upload-picture", { name: "large.png", mimeType: "image/png", buffer });
      await page.click("#send");
      await page.waitForFunction(
        () =>
          document.querySelector("[data-svc-news]")?.textContent === "The file is too large; at most 64 KB are allowed",
      );
      assert.deepEqual(await ran(), []);
    });
  });
});

describe("with JavaScript, a form", () => {
  it("leaves the rest of the page unchanged and working", async () => {
    await inTab("/", true, async (story) => {
      const { page } = story;
      await page.click("#count");
      await page.waitForFunction(() => document.querySelector("#count")?.textContent === "1");
      await page.evaluate(() => Object.assign(document.querySelector("#count")!, { isSame: true }));
      await page.click("#save");
      await page.waitForSelector("#save-profile-errors");
      await page.click("#count");
      await page.waitForFunction(() => document.querySelector("#count")?.textContent === "2");
      assert.ok(await page.evaluate(() => "isSame" in document.querySelector("#count")!));
      // Typed text that the server did not send back.
      assert.equal(await page.inputValue("#save-profile-email"), "ada@example.com");
      expectComplaint(story, 422);
    });
  });

  it("can't be sent again while it is pending, and runs once", async () => {
    await inTab("/slow", true, async ({ page }) => {
      await page.fill("#slow-note", "once");
      await page.click("#send");
      await fetch(`${app.url}/entered`);
      assert.equal(await page.getAttribute("#slow", "aria-busy"), "true");
      // Clicks the button even if it looks disabled.
      await page.click("#send", { force: true });
      await fetch(`${app.url}/go-on`);
      await page.waitForSelector(".svc-flash-success");
      assert.equal(await page.inputValue("#slow-note"), "");
      assert.deepEqual(await ran(), ["once"]);
    });
  });

  it("reports an unreachable server, and keeps its values", async () => {
    await inTab("/", true, async ({ page, takeComplaints }) => {
      await page.fill("#save-profile-name", "Ada");
      await page.route("**/_svc/submit/**", (route) => route.abort());
      await page.click("#save");
      await page.waitForFunction(() =>
        document.querySelector("[data-svc-news]")?.textContent?.includes("can't be reached"),
      );
      assert.equal(await page.inputValue("#save-profile-name"), "Ada");
      assert.equal(await page.getAttribute("#save-profile", "aria-busy"), null);
      takeComplaints();
      await page.unroute("**/_svc/submit/**");
      await page.click("#save");
      await page.waitForSelector(".svc-flash-success");
    });
  });

  it("shows its flash message after success, even if the page-swap script did not load", async () => {
    await inTab("/", true, async ({ page, takeComplaints }) => {
      await page.route("**/_svc/page-swap.js", (route) => route.abort());
      await page.fill("#save-profile-name", "Ada");
      await page.click("#save");
      await page.waitForSelector(".svc-flash-success");
      assert.equal((await ran()).length, 1);
      assert.ok(takeComplaints().every((complaint) => complaint.includes("ERR_FAILED")));
    });
  });

  it("that was refused while its script failed to load shows its errors when it is sent again", async () => {
    await inTab("/", true, async ({ page, takeComplaints }) => {
      await page.route("**/_svc/page-swap.js", (route) => route.abort());
      await page.click("#save");
      await page.waitForFunction(() => document.querySelector("[data-svc-news]")?.textContent?.includes("Try again"));
      await page.click("#save");
      await page.waitForSelector("#save-profile-errors");
      const others = takeComplaints().filter((complaint) => !/ERR_FAILED|status of 422/.test(complaint));
      assert.deepEqual(others, []);
    });
  });

  it("reports a server error without details", async () => {
    await inTab("/", true, async (story) => {
      const { page } = story;
      await page.fill("#save-profile-name", "broken");
      await page.click("#save");
      await page.waitForFunction(() => document.querySelector("[data-svc-news]")?.textContent === "Internal error");
      assert.equal(await page.inputValue("#save-profile-name"), "broken");
      expectComplaint(story, 500);
    });
  });

  it("can be sent again after a server error, and succeeds", async () => {
    await inTab("/", true, async (story) => {
      const { page } = story;
      await page.fill("#save-profile-name", "unlucky");
      await page.click("#save");
      await page.waitForFunction(() => document.querySelector("[data-svc-news]")?.textContent === "Internal error");
      expectComplaint(story, 500);
      await page.click("#save");
      await page.waitForSelector(".svc-flash-success");
      assert.equal((await ran()).length, 2);
    });
  });

  it("is locked until its own response arrives, and keeps its key, independently of another form", async () => {
    await inTab("/two", true, async ({ page }) => {
      const held: Route[] = [];
      await page.route("**/_svc/submit/note", (route) =>
        route.request().postData()?.includes("second") ? void held.push(route) : route.continue(),
      );
      const key = await page.inputValue("#right [name=_key]");
      await page.fill("#right-note", "second");
      const asked = page.waitForRequest("**/_svc/submit/note");
      await page.locator("#right button").first().click();
      await asked;
      await page.fill("#left-note", "first");
      await page.locator("#left button").first().click();
      await page.waitForFunction(() => document.querySelector("#taken")?.textContent === "1");
      assert.equal(await page.getAttribute("#right", "aria-busy"), "true");
      assert.equal(await page.locator("#right button").first().getAttribute("aria-disabled"), "true");
      assert.equal(await page.inputValue("#right [name=_key]"), key);
      await page.locator("#right button").first().click({ force: true });
      assert.equal(held.length, 1);
      await held[0]?.continue();
      await page.waitForFunction(() => document.querySelector("#taken")?.textContent === "2");
      assert.equal(await page.inputValue("#right-note"), "");
      assert.deepEqual(await ran(), ["first", "second"]);
    });
  });

  it("that succeeds last determines the page, when two are pending", async () => {
    await inTab("/two", true, async ({ page }) => {
      let release = (): Promise<void> => Promise.reject(new Error("Nothing was asked for"));
      const isOlderThere = new Promise<void>((resolve) => {
        let isFirst = true;
        void page.route("**/two", async (route) => {
          if (!isFirst) return route.continue();
          isFirst = false;
          const response = await route.fetch();
          release = () => route.fulfill({ response });
          resolve();
        });
      });
      const key = await page.inputValue("#left [name=_key]");
      await page.fill("#left-note", "first");
      await page.locator("#left button").first().click();
      await isOlderThere;
      await page.fill("#right-note", "second");
      await page.locator("#right button").first().click();
      await page.waitForFunction(() => document.querySelector("#taken")?.textContent === "2");
      await release();
      await page.waitForFunction(() => !document.querySelector("#left")?.hasAttribute("aria-busy"));
      assert.equal(await page.textContent("#taken"), "2");
      assert.equal(await page.inputValue("#left-note"), "");
      assert.notEqual(await page.inputValue("#left [name=_key]"), key);
      assert.deepEqual(await ran(), ["first", "second"]);
    });
  });

  it("reports an error that a page of another build contains", async () => {
    await inTab("/", true, async (story) => {
      const { page } = story;
      await page.route("**/_svc/submit/**", async (route) => {
        const response = await route.fetch();
        const body = (await response.text()).replace(/data-build="[^"]*"/, 'data-build="another"');
        await route.fulfill({ response, body });
      });
      await page.click("#save");
      await page.waitForFunction(() => document.querySelector("[data-svc-news]")?.textContent === "Tell us your name");
      assert.equal(await page.locator("#save-profile-errors").count(), 0);
      expectComplaint(story, 422);
    });
  });

  it("is sent by the browser, with the pressed button, if its script can't load", async () => {
    await inTab("/two", true, async ({ page, takeComplaints }) => {
      await page.route("**/_svc/forms.js", (route) => route.abort());
      await page.fill("#left-note", "kept");
      await page.locator("#left").getByText("Keep").click();
      await page.waitForSelector(".svc-flash-success");
      assert.deepEqual(await ran(), ["draft kept"]);
      takeComplaints();
    });
  });

  it("emits progress events for files", async () => {
    await inTab("/upload", true, async ({ page }) => {
      await page.evaluate(() => {
        const reported: number[] = [];
        Object.assign(self, { reported });
        document.addEventListener("form-progress", (event) =>
          reported.push((event as CustomEvent<{ loaded: number }>).detail.loaded),
        );
        // The target of the redirect is another document.
        document.addEventListener("form-done", () => sessionStorage.setItem("progress", JSON.stringify(reported)));
      });
      await page.setInputFiles("#upload-picture", { name: "a.png", mimeType: "image/png", buffer: PNG });
      await page.click("#send");
      await page.waitForURL("**/done");
      const reported = JSON.parse((await page.evaluate(() => sessionStorage.getItem("progress"))) ?? "[]") as number[];
      assert.ok(reported.length > 0 && reported.every((loaded) => loaded > 0));
    });
  });

  it("fetches no script before it is touched", async () => {
    const { page, scripts, close } = await openTab(browser);
    await page.goto(`${app.url}/slow`);
    await page.waitForLoadState("networkidle");
    assert.deepEqual(scripts, []);
    const fetched = page.waitForRequest("**/_svc/forms.js");
    await page.focus("#slow-note");
    await fetched;
    assert.deepEqual(scripts, ["/_svc/forms.js"]);
    await close();
  });
});
