// Runs and variants side by side: chosen in a form, held against any of them, and one address for all of it.
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test } from "./reader";

const study = "qwen3.5-9b-h100";
const subject = (variant: string, profile = "sharegpt") => `${study}:${variant}:${profile}`;
const [baseline, recommended, failed] = ["vllm", "perf-seqs-512", "speculative-decoding"].map((id) => subject(id));
const address = (lang: string, ...of: string[]) => `/${lang}/compare?${of.map((one) => `of=${one}`).join("&")}`;

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
/** Every figure of the results, row by row, without the words that differ by language. */
const figures = async (page: Page) => {
  const rows = await page.locator(".vs tbody:not(#parameters) tr:not(.grp)").all();
  return Promise.all(rows.map(async (row) => ((await row.locator("td").allTextContents()).join(" | ").match(/[−+±]?[\d,]+\.?\d*%?/g) ?? []).join(" ")));
};

test("two variants are chosen, compared, and compared the other way round, by address alone", async ({ page, script }) => {
  await page.goto("/en/compare");
  await awake(page, script);
  await expect(page.locator("#empty")).toHaveText("Nothing is chosen yet");
  await page.locator(`input[name="of"][value="${recommended}"]`).check();
  await page.locator(`input[name="base"][value="${baseline}"]`).check();
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page.locator("h1")).toHaveText("Compare 2 variants");
  const heads = page.locator(".vs thead th");
  await expect(heads.nth(0)).toContainText("vllm");
  await expect(heads.nth(0).locator(".tag")).toHaveText("baseline");
  const total = page.locator(".vs tr", { hasText: "Total TPS, recomputed" }).locator("td");
  await expect(total.nth(0)).toHaveText("11,389.66");
  await expect(total.nth(1)).toContainText("+1.90%");
  await expect(total.nth(1)).toContainText("within noise");
  // Only what differs, until all is asked for.
  const parameters = page.locator("#parameters");
  await expect(parameters).toContainText("--max-num-seqs");
  await expect(parameters).not.toContainText("--reasoning-parser");
  await parameters.getByRole("link", { name: "All parameters" }).click();
  await expect(page).toHaveURL(/params=all/);
  await expect(parameters).toContainText("--reasoning-parser");
  await expect(page.locator(".vs-lines .new")).toHaveText([/--performance-mode=throughput/, /--max-num-seqs=512/]);

  await heads.nth(1).getByRole("link", { name: "make this the baseline" }).click();
  await expect(heads.nth(1).locator(".tag")).toHaveText("baseline");
  await expect(total.nth(0)).toContainText("−1.86%");
  await expect(total.nth(1)).toHaveText("11,605.92");
  await expect(parameters).toContainText("--reasoning-parser");
  const before = await figures(page);
  expect(before.join("\n")).toContain("−1.86%");
  // The same view in the other language, by the switch and by its address.
  await page.getByRole("link", { name: "日本語" }).click();
  await expect(page.locator("h1")).toHaveText("構成2件の比較");
  await expect(page.locator(".vs")).toContainText("ゆらぎの範囲");
  await expect(parameters).toContainText("差のあるパラメーターだけ");
  expect(await figures(page)).toEqual(before);
  const there = page.url();
  await page.goto("/");
  await page.goto(there);
  expect(await figures(page)).toEqual(before);
  await page.getByRole("link", { name: /^基準にする/ }).click();
  await expect(page.locator(".vs thead th").nth(0).locator(".tag")).toHaveText("基準");
});

test("a side that failed is named before any figure, and taken out again", async ({ page, script }) => {
  await page.goto(address("en", baseline, recommended, failed));
  await awake(page, script);
  const banner = page.locator(".differ");
  await expect(banner).toContainText("Not everything here can be compared");
  await expect(banner).toContainText("514");
  const head = page.locator(".vs thead th").nth(2);
  await expect(head).toContainText("disqualified");
  await expect(page.locator(".vs tr", { hasText: "Total TPS, reported" }).locator("td").nth(2)).toContainText("not comparable");
  await head.getByRole("link", { name: "remove" }).click();
  await expect(page.locator(".differ")).toHaveCount(0);
  await expect(page.locator(".vs thead th")).toHaveCount(2);
});

test("two studies differ in more than arguments, and every dimension is listed", async ({ page, script }) => {
  await page.goto(address("ja", baseline, "qwen3-14b-h100:fp8:sharegpt", "run:gone", "nonsense"));
  await awake(page, script);
  await expect(page.locator(".differ").first()).toContainText("run:gone");
  await expect(page.locator(".differ").first()).toContainText("nonsense");
  const list = page.locator(".differ").last();
  for (const word of ["プロファイル", "モデル", "精度", "推論エンジン", "Qwen/Qwen3.5-9B", "Qwen/Qwen3-14B-FP8", "SGLang"]) {
    await expect(list).toContainText(word);
  }
  await expect(page.locator(".vs tr", { hasText: "合計TPS" }).first().locator("td").nth(1)).toContainText("比較不可");
});

test("reports and runs lead to a choice that is made", async ({ page, script }) => {
  await page.goto(`/en/studies/${study}`);
  await awake(page, script);
  await page.locator("ul.tools").getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.locator(".vs thead th").nth(0)).toContainText("vllm");
  await expect(page.locator(".vs thead th").nth(1)).toContainText("perf-seqs-512");
  await page.locator(".vs thead th").nth(1).locator(".run-links a").first().click();
  await page.getByRole("link", { name: "Compare with the baseline" }).click();
  await expect(page.locator("h1")).toHaveText("Compare 2 variants and runs");
  await page.getByRole("link", { name: "Add or change what is compared" }).click();
  await expect(page.locator('input[name="of"]:checked')).toHaveCount(2);
  await expect(page.locator(`input[name="base"][value="${baseline}"]`)).toBeChecked();
});

for (const lang of ["en", "ja"] as const) {
  test(`comparisons in ${lang} are accessible in both themes and fit a small phone @js-on`, async ({ page, script }) => {
    test.setTimeout(180_000);
    const paths = [["pair", address(lang, baseline, recommended, failed)], ["across", `${address(lang, baseline, "qwen3-14b-h100:fp8:sharegpt", "run:gone")}&params=all`], ["empty", `/${lang}/compare`]];
    for (const [name, path] of paths) {
      for (const [colorScheme, width] of [["light", 1440], ["dark", 390], ["light", 320]] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        await awake(page, script);
        expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
        await expectAccessible(page);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/compare-${name}-${lang}-${width}.png`, fullPage: true });
      }
    }
  });
}
