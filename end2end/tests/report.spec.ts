// Both reference reports, in both languages, with and without JavaScript: sections, figures, decisions, raw results.
import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test } from "./reader";

const sections = {
  ja: ["結論", "プロファイル別の結果", "図", "構成の順位", "メモ", "環境", "測定方法", "最適化項目", "最適化項目の一覧", "その他のベンチマークケース", "所見"],
  en: ["Conclusion", "Profile by profile", "Figures", "Ranking of variants", "Notes", "Environment", "Method", "Steps", "Summary of options", "Other benchmark cases", "Findings"],
};

const studies = [
  {
    slug: "qwen3.5-9b-h100",
    command: ["vllm serve Qwen/Qwen3.5-9B", "--reasoning-parser=qwen3", "--performance-mode=throughput", "--max-model-len=32768", "--max-num-seqs=512"],
    // Reported beside recomputed, per profile.
    gains: [["+2.09%", "+1.90%"], ["+15.59%", "+9.97%"], ["+0.75%", "+0.76%"], ["+1.74%", "−0.01%"]],
    steps: 9,
    runs: 22,
    findings: ["success-rate", "rate-mismatch", "tpot-identity", "peak-implausible", "load-limited", "tail-regression"],
  },
  {
    slug: "qwen3-14b-h100",
    command: ["python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B-FP8"],
    gains: [["+58.1%", "+58.1%"], ["+20.7%", "+20.7%"], ["+33.0%", "+33.0%"], ["+39.3%", "+39.3%"], ["+191.3%", "+191.3%"]],
    steps: 3,
    runs: 15,
    findings: ["precision-changed", "single-run", "tail-regression"],
  },
];

/** Every figure with decimals that a page shows; text nodes are kept apart, or neighbours would read as one number. */
const figures = async (page: Page) => {
  const text = await page.locator("main").evaluate((main) => {
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.textContent);
    return texts.join(" ");
  });
  return (text.match(/[0-9][0-9,]*\.[0-9]+/g) ?? []).sort();
};

for (const study of studies) {
  for (const lang of ["ja", "en"] as const) {
    const path = `/${lang}/studies/${study.slug}`;

    test(`${path} has every section and the conclusion's figures`, async ({ page, script }) => {
      await page.goto(path);
      await awake(page, script);
      await expect(page.locator("html")).toHaveAttribute("lang", lang);
      await expect(page.locator("h1")).toHaveCount(1);
      await expect(page).toHaveTitle(/Qwen3.* — Touchstone$/);
      await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", new RegExp(`${path}$`));
      await expect(page.locator("link[rel=alternate][hreflang]")).toHaveCount(3);
      await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /ShareGPT/);
      for (const section of sections[lang]) {
        await expect(page.locator("h2").filter({ hasText: section }).first()).toBeVisible();
      }
      for (const line of study.command) await expect(page.locator(".command pre")).toContainText(line);
      const rows = page.locator("table.gain tbody tr");
      await expect(rows).toHaveCount(study.gains.length);
      for (const [at, [reported, recomputed]] of study.gains.entries()) {
        await expect(rows.nth(at)).toContainText(reported);
        await expect(rows.nth(at)).toContainText(recomputed);
      }
      await expect(page.locator(".step")).toHaveCount(study.steps);
      for (const id of study.findings) await expect(page.locator(`#f-${id}`)).toBeVisible();
      for (const image of await page.locator("svg[role=img]:visible").all()) {
        expect((await image.getAttribute("aria-label"))?.length).toBeGreaterThan(10);
      }
    });

    test(`${path} opens every raw result and leads to its run`, async ({ page, request, script }) => {
      await page.goto(path);
      await awake(page, script);
      const raw = page.locator("details[id^=raw-]");
      await expect(raw).toHaveCount(study.runs);
      const first = raw.first();
      await expect(first.locator("pre")).toBeHidden();
      await first.locator("summary").click();
      await expect(first.locator("pre")).toBeVisible();
      await expect(first.locator("pre")).toContainText("============ Serving Benchmark Result ============");
      await page.locator(`a[href^="/${lang}/runs/"]`).first().click();
      await expect(page).toHaveURL(new RegExp(`/${lang}/runs/[0-9a-f]+$`));
      await expect(page.locator("h1")).toHaveCount(1);
      const link = page.locator('a[href^="/raw/"]').first();
      const address = (await link.getAttribute("href")) ?? "";
      const answer = await request.get(address);
      expect(answer.headers()["content-type"]).toContain("text/plain");
      const digest = createHash("sha256").update(await answer.body()).digest("hex");
      expect(address).toContain(digest);
    });

    test(`${path} is accessible in both themes and fits a small phone @js-on`, async ({ page, script }) => {
      // axe looks at some thousand elements, four times.
      test.setTimeout(180_000);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(path);
        await awake(page, script);
        await expectAccessible(page);
      }
      await page.setViewportSize({ width: 320, height: 720 });
      const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      await expectAccessible(page);
      await page.locator(`a[href^="/${lang}/runs/"]`).first().evaluate((link: HTMLAnchorElement) => link.click());
      await expect(page).toHaveURL(/\/runs\//);
      await awake(page, script);
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      await expectAccessible(page);
    });
  }

  test(`${study.slug} gives the same figures in both languages`, async ({ page }) => {
    const read = async (lang: string) => {
      await page.goto(`/${lang}/studies/${study.slug}`);
      return figures(page);
    };
    const ja = await read("ja");
    expect(ja.length).toBeGreaterThan(100);
    expect(await read("en")).toEqual(ja);
  });

  test(`${study.slug} prints: the plate turns white and navigation stays away @js-on`, async ({ page }) => {
    await page.goto(`/ja/studies/${study.slug}`);
    await page.emulateMedia({ media: "print" });
    await expect(page.locator(".topbar")).toBeHidden();
    await expect(page.locator(".command pre")).toBeVisible();
    const ground = await page.locator(".command").evaluate((plate) => getComputedStyle(plate).backgroundColor);
    expect(["rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"]).toContain(ground);
  });
}

test("home leads to both reports and finds by model, GPU or argument", async ({ page, script }) => {
  await page.goto("/en/");
  await awake(page, script);
  await expect(page.getByRole("link", { name: "Optimizing Qwen3.5-9B Throughput" })).toBeVisible();
  await page.getByRole("searchbox").fill("sglang");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page).toHaveURL(/\?q=sglang/);
  await expect(page.getByRole("link", { name: /Qwen3-14B/ })).toBeVisible();
  await page.goto("/en/?q=" + encodeURIComponent("<script>alert(1)</script>"));
  await expect(page.locator("main")).toContainText("<script>alert(1)</script>");
  await expect(page.getByRole("link", { name: /Optimizing/ })).toHaveCount(0);
});
