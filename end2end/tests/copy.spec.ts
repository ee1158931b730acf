// The recommended command and its copy button: over HTTPS or localhost, over plain HTTP, and where no script runs.
import { awake, expect, expectAccessible, test } from "./reader";

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

test("what the arguments do and the container forms open without a script, and are accessible", async ({ page, script }) => {
  test.slow();
  await page.goto(report);
  await awake(page, script);
  const plate = page.locator(".plate");
  await plate.getByText("What each argument does").click();
  await expect(plate.locator(".args dt").first()).toHaveText("--reasoning-parser");
  await expect(plate.locator(".args dd").first()).toContainText("separates reasoning from the answer");
  for (const [name, line] of [
    ["docker run", "vllm/vllm-openai:v0.17.1"],
    ["Docker Compose", "capabilities:"],
    ["Kubernetes", "nvidia.com/gpu: 1"],
  ]) {
    await plate.locator("summary", { hasText: name }).click();
    await expect(plate.getByRole("group", { name, exact: true })).toContainText(line);
  }
  // axe runs in the page.
  if (script === "js-on") await expectAccessible(page);
});

test("a container form is copied as it stands @js-on", async ({ page, context, script }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(report);
  await awake(page, script);
  const form = page.locator(".plate details", { hasText: "Kubernetes" }).last();
  await form.locator("summary").click();
  await form.getByRole("button", { name: "Copy" }).click();
  await expect(form.getByRole("status")).toHaveText("Copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await form.locator("pre").textContent());
});

test("a run says what its arguments do", async ({ page }) => {
  await page.goto("/ja/studies/qwen3.5-9b-h100");
  await page.locator(".more--arguments > summary").click();
  await expect(page.locator(".more--arguments dd").first()).toContainText("思考過程");
});
