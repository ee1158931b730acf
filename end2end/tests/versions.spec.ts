// Published versions: frozen in the browser, compared with what came later; with and without JavaScript.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test, type Script } from "./reader";

const run = readFileSync(join(__dirname, "../../server/demo/qwen3.5-9b-h100/runs/18-throughput-optimized.txt"), "utf8");

const words = {
  en: { versions: "Versions", publish: "Publish", none: "Nothing has been published yet.", made: "Version 1 is published.", same: "This is version 1, published", unchanged: "Nothing has changed since version 1", moved: "since then: 1 note changed", changed: "See what changed", note: "The note on the study in Japanese was written.", frozen: "Version 1, published", live: "Live report", compare: "Compare", nothing: "Nothing differs.", save: "Save" },
  ja: { versions: "公開版", publish: "公開する", none: "まだ公開していません。", made: "第1版を公開しました。", same: "公開した第1版と同じ内容です。", unchanged: "第1版から何も変わっていない", moved: "メモの変更1件", changed: "違いを見る", note: "検証全体の日本語のメモが書かれました。", frozen: "に公開した第1版です。", live: "現在のレポート", compare: "比較する", nothing: "違いはありません。", save: "保存" },
};

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A study that no other test has, with one run. */
async function study(page: Page, script: Script, name: string, lang: "en" | "ja") {
  const slug = `e2e-versions-${name}-${lang}-${script}`;
  await page.goto("/en/upload");
  await awake(page, script);
  await page.locator("#file").setInputFiles({ name: "run.txt", mimeType: "text/plain", buffer: Buffer.from(run) });
  await page.getByRole("button", { name: "Show the preview" }).click();
  await page.locator("#study").selectOption("+new");
  await page.locator("#slug").fill(slug);
  await page.locator("#variant-0").selectOption("+new");
  await page.locator("#vid-0").fill("a|b<script>");
  await page.locator("#engine-0").fill("vLLM");
  await page.locator("#model-0").fill("Qwen/Qwen3.5-9B");
  await page.locator("#profile-0").selectOption("+new");
  await page.locator("#pid-0").fill("chat");
  await page.locator('button[value="save"]').click();
  await expect(page.locator("h1")).toHaveText("Saved");
  return slug;
}

async function note(page: Page, slug: string, lang: "en" | "ja", text: string) {
  await page.goto(`/${lang}/studies/${slug}/notes?on=study`);
  await page.locator("#text-ja").fill(text);
  await page.getByRole("button", { name: words[lang].save, exact: true }).click();
  await expect(page.getByRole("status").first()).toBeVisible();
}

for (const lang of ["en", "ja"] as const) {
  const w = words[lang];

  test(`a report is published, stays as it is, and the live one says how it moved on in ${lang}`, async ({ page, script }) => {
    const slug = await study(page, script, "one", lang);
    const report = `/${lang}/studies/${slug}`;
    await page.goto(report);
    await expect(page.locator(".since")).toHaveCount(0);
    await page.locator(".tools").getByRole("link", { name: w.versions, exact: true }).click();
    await awake(page, script);
    await expect(page.locator("main")).toContainText(w.none);
    await page.locator("#remark").fill("<b>first</b>");
    await page.getByRole("button", { name: w.publish, exact: true }).click();
    await expect(page.getByRole("status")).toContainText(w.made);
    await expect(page.locator(".versions__table")).toContainText("<b>first</b>");

    // The list's SHA-256 is that of what is served.
    const row = page.locator(".versions__digests li", { has: page.locator(`a[hreflang="${lang}"]`) });
    const sha256 = await row.locator("code").getAttribute("title");
    const frozen = `/${lang}/reports/${slug}/v1`;
    const bytes = async () => createHash("sha256").update(await (await page.request.get(frozen)).body()).digest("hex");
    expect(await bytes()).toBe(sha256);

    // Publishing again changes nothing, and the live report is the version.
    await page.getByRole("button", { name: w.publish, exact: true }).click();
    await expect(page.getByRole("status")).toContainText(w.unchanged);
    await page.goto(report);
    await expect(page.locator(".since")).toContainText(w.same);

    await note(page, slug, lang, "速い<script>");
    await page.goto(report);
    await expect(page.locator(".since")).toContainText(w.moved);
    await page.locator(".since").getByRole("link", { name: w.changed }).click();
    await expect(page.locator("#difference")).toContainText(w.note);
    await page.locator("#difference summary").click();
    await expect(page.locator("#difference .diff__new")).toContainText("速い<script>");
    expect(await bytes()).toBe(sha256);

    // Two lists to choose from, and an address for what they show.
    await page.getByRole("button", { name: w.publish, exact: true }).click();
    await page.locator("#from").selectOption("2");
    await page.locator("#to").selectOption("live");
    await page.getByRole("button", { name: w.compare, exact: true }).click();
    await expect(page).toHaveURL(/from=2&to=live/);
    await expect(page.locator("#difference")).toContainText(w.nothing);

    // The frozen file has its ways out.
    await page.goto(frozen);
    await expect(page.locator(".sheet-head__stamp")).toContainText(w.frozen);
    await expect(page.locator("main")).not.toContainText("速い");
    await page.locator(".sheet-head__ways").getByRole("link", { name: w.live }).click();
    await expect(page).toHaveURL(report);
  });

  test(`the pages of versions in ${lang} are accessible in both themes and fit a small phone @js-on`, async ({ page, script }) => {
    test.setTimeout(180_000);
    const slug = await study(page, script, "look", lang);
    const versions = `/${lang}/studies/${slug}/versions`;
    await page.goto(versions);
    await page.locator("#remark").fill("https://bench.example/a-very-long-remark-without-any-space-in-it-at-all-because-people-paste-links");
    await page.getByRole("button", { name: w.publish, exact: true }).click();
    await expect(page.getByRole("status")).toContainText(w.made);
    await note(page, slug, lang, "# 見出し\n\n`--max-num-batched-tokens 65536 --kv-cache-dtype fp8_e4m3`\n\n長い一行です。");
    for (const [name, path] of [["list", versions], ["changes", `${versions}?from=1&to=live`], ["report", `/${lang}/studies/${slug}`], ["frozen", `/${lang}/reports/${slug}/v1`]]) {
      for (const [colorScheme, width] of [["light", 1440], ["dark", 390]] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        if (name !== "frozen") await awake(page, script);
        if (name === "changes") await page.locator("#difference summary").click();
        expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
        await expectAccessible(page);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/versions-${name}-${lang}-${colorScheme}.png`, fullPage: name !== "report" });
      }
    }
  });
}
