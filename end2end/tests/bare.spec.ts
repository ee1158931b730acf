// A study made by an upload that named nothing but itself: its card and its report say what is not known.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { awake, expect, expectAccessible, test } from "./reader";

const block = readFileSync(join(__dirname, "../../server/demo/qwen3.5-9b-h100/runs/18-throughput-optimized.txt"), "utf8");

const words = {
  en: { command: "The serving command is not known", model: "model not known", gpu: "GPU not known", engine: "engine not known" },
  ja: { command: "推論サーバーの起動コマンドは不明です。", model: "モデル不明", gpu: "GPU不明", engine: "エンジン不明" },
};

const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

/** Uploads the block as a variant of which only the name is known, under names that break what can be broken. */
const upload = async (page: import("@playwright/test").Page, script: "js-on" | "js-off", slug: string, title: string, variant: string) => {
  await page.goto("/en/upload");
  await awake(page, script);
  await page.locator("#file").setInputFiles({ name: `| ${"long-".repeat(30)}.txt`, mimeType: "text/plain", buffer: Buffer.from(block) });
  await page.getByRole("button", { name: "Show the preview" }).click();
  await page.locator("#study").selectOption("+new");
  await page.locator("#slug").fill(slug);
  await page.locator("#title").fill(title);
  await page.locator("#variant-0").selectOption("+new");
  await page.locator("#vid-0").fill(variant);
  await page.locator("#engine-0").fill("unknown");
  await page.locator("#model-0").fill("unknown");
  await page.locator("#profile-0").selectOption("+new");
  await page.locator("#pid-0").fill("| <b>& 試金石 🚀");
  await page.locator('button[value="save"]').click();
  await expect(page.locator("h1")).toHaveText("Saved");
  return (await page.locator("table.saved tbody a").first().getAttribute("href")) ?? "";
};

test("a study that only has a name is accessible on home, report and run, and says what is not known @js-on", async ({ page, script }) => {
  test.setTimeout(240_000);
  const slug = "e2e-bare";
  await upload(page, script, "e2e-odd", `${"W".repeat(120)} </title><script>alert(1)</script> 🚀`, `${"x".repeat(90)} | "`);
  const run = await upload(page, script, slug, "", "bare");
  for (const lang of ["en", "ja"] as const) {
    const w = words[lang];
    const of = (path: string) => path.replace("/en/", `/${lang}/`);
    for (const path of [`/${lang}/`, `/${lang}/studies/${slug}`, of(run), `/${lang}/studies/e2e-odd`]) {
      for (const [colorScheme, width] of [["light", 1440], ["dark", 320]] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(path);
        await awake(page, script);
        expect(await page.evaluate(overflow), path).toBeLessThanOrEqual(0);
        await expectAccessible(page);
      }
    }
    await page.goto(`/${lang}/`);
    const card = page.locator("article.study-card", { has: page.locator(`a[href="/${lang}/studies/${slug}"]`) });
    for (const said of [w.model, w.gpu, w.engine]) await expect(card).toContainText(said);
    for (const path of [`/${lang}/studies/${slug}`, of(run)]) {
      await page.goto(path);
      await expect(page.locator("main")).toContainText(w.command);
      await expect(page.locator("main")).not.toContainText("unknown unknown");
    }
  }
});
