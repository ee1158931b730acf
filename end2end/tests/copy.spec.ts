// The recommended command and its copy button: over HTTPS or localhost, over plain HTTP, and where no script runs.
import { awake, expect, test } from "./reader";

const report = "/en/studies/qwen3.5-9b-h100";

/** One line, as a shell reads it. */
const joined = (command: string | null) => (command ?? "").replace(/\\?\n\s*/g, " ").replace(/\s+/g, " ").trim();

for (const secure of [true, false]) {
  test(`the command is copied, ${secure ? "secure" : "plain HTTP"} @js-on`, async ({ page, context, script }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    if (!secure) {
      await page.addInitScript(() => Object.defineProperty(window, "isSecureContext", { value: false }));
    }
    await page.goto(report);
    await awake(page, script);
    const plate = page.locator(".command").first();
    await plate.getByRole("button", { name: "Copy" }).click();
    await expect(plate.locator(".copy").getByRole("status")).toHaveText("Copied");
    await expect(plate.getByRole("button", { name: "Copied" })).toBeFocused();
    const copied = joined(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toMatch(/^vllm serve Qwen\/Qwen3\.5-9B( \S+){4,}$/);
    expect(copied).toBe(joined(await plate.locator("pre").textContent()));
  });
}

test("without JavaScript the command is there to select, and no dead button", async ({ page, script }) => {
  await page.goto(report);
  await expect(page.locator(".command pre").first()).toContainText("vllm serve Qwen/Qwen3.5-9B");
  if (script === "js-off") await expect(page.locator(".copy__button").first()).toBeHidden();
});
