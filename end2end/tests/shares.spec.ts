// Share links in the browser: made, opened by somebody without an account, previewed, revoked; with and without JavaScript.
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test } from "./reader";

const SLUG = "qwen3.5-9b-h100";

const words = {
  en: { share: "Share", made: "The link is ready.", make: "Make the link", preview: "Preview what outsiders see", back: "Preview: back to the share links", shared: "Shared report, read-only.", redacted: "are redacted", revoke: "Revoke", revoked: "The link was revoked.", over: "has expired or was revoked", sure: "It stops working at once", views: "Views" },
  ja: { share: "共有", made: "リンクを作成しました。", make: "リンクを作成", preview: "共有先での見え方を確認", back: "共有先での見え方です。共有リンクに戻る", shared: "閲覧専用で共有されたレポートです。", redacted: "伏せ字にしてあります", revoke: "失効させる", revoked: "リンクを失効させました。", over: "リンクの有効期限が切れたか", sure: "すぐに使えなくなり", views: "閲覧数" },
};

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const lang of ["en", "ja"] as const) {
  const w = words[lang];

  test(`a link is made, opened by an outsider and revoked in ${lang}`, async ({ page, script, browser, complaints }) => {
    // axe reads a whole report.
    test.setTimeout(180_000);
    const label = `e2e ${lang} ${script}`;
    await page.goto(`/${lang}/studies/${SLUG}`);
    await awake(page, script);
    await page.locator(".tools").getByRole("link", { name: w.share, exact: true }).click();
    await expect(page).toHaveURL(`/${lang}/studies/${SLUG}/shares`);
    await awake(page, script);

    // The preview is what outsiders get, and leads back.
    await page.getByRole("button", { name: w.preview }).click();
    await expect(page.locator(".sheet-head")).toContainText(w.shared);
    await expect(page.locator(".sheet-head")).toContainText(w.redacted);
    await page.getByRole("link", { name: w.back }).click();
    await expect(page).toHaveURL(`/${lang}/studies/${SLUG}/shares`);

    await page.locator("#label").fill(label);
    await page.getByRole("button", { name: w.make, exact: true }).click();
    await expect(page.locator(".shares__made")).toContainText(w.made);
    await awake(page, script);
    if (script === "js-on") await expectAccessible(page);
    const link = (await page.locator(".shares__link a").getAttribute("href"))!;
    expect(link).toMatch(new RegExp(`/s/[0-9a-f]{64}/${lang}$`));

    // Somebody else, without this browser's cookies. The page asks for nothing but itself.
    const context = await browser.newContext({ javaScriptEnabled: script === "js-on" });
    const outsider = await context.newPage();
    const asked: string[] = [];
    outsider.on("request", (request) => asked.push(request.url()));
    await outsider.goto(link);
    await expect(outsider.locator(".sheet-head")).toContainText(w.shared);
    await expect(outsider.locator("#conclusion")).toContainText("%");
    expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([link]);
    expect(await outsider.locator('a[href^="/"]').evaluateAll((all) => all.map((a) => a.getAttribute("href")).filter((href) => !href!.startsWith("/s/")))).toEqual([]);
    if (script === "js-on") await expectAccessible(outsider);
    await outsider.setViewportSize({ width: 360, height: 740 });
    expect(await overflow(outsider)).toBeLessThanOrEqual(0);

    await page.goto(`/${lang}/studies/${SLUG}/shares`);
    const row = page.locator(".shares__table tbody tr", { hasText: label });
    await expect(row).toHaveCount(1);
    await row.locator("summary").click();
    await expect(row).toContainText(w.sure);
    await row.getByRole("button", { name: w.revoke }).click();
    await expect(page.getByRole("status")).toContainText(w.revoked);
    const gone = await outsider.goto(link);
    expect(gone?.status()).toBe(410);
    await expect(outsider.locator("main")).toContainText(w.over);
    await context.close();
    complaints.splice(0);
  });

  test(`the page of share links in ${lang} is accessible in both themes and fits a small phone @js-on`, async ({ page, script }) => {
    test.setTimeout(180_000);
    for (const [colorScheme, width] of [["light", 1440], ["dark", 320]] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`/${lang}/studies/${SLUG}/shares`);
      await awake(page, script);
      expect(await overflow(page), `at ${width}`).toBeLessThanOrEqual(0);
      await expectAccessible(page);
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/shares-${lang}-${colorScheme}.png`, fullPage: true });
    }
  });
}

test("a comparison is shared", async ({ page, script }) => {
  await page.goto(`/en/studies/${SLUG}`);
  await page.locator(".tools").getByRole("link", { name: "Compare", exact: true }).click();
  await page.getByRole("link", { name: "Share this view" }).click();
  await awake(page, script);
  await expect(page.locator("#scope")).toContainText("Comparison of");
  await page.getByRole("button", { name: "Make the link", exact: true }).click();
  const link = (await page.locator(".shares__link a").getAttribute("href"))!;
  await page.goto(link);
  await expect(page.locator(".sheet-head")).toContainText("read-only");
  await expect(page.locator("main table").first()).toBeVisible();
});
