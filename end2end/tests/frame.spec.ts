// What surrounds every page: addresses, languages, theme, errors.
import { awake, expect, expectAccessible, test } from "./reader";

for (const [lang, name, other] of [
  ["ja", "日本語", "English"],
  ["en", "English", "日本語"],
]) {
  test(`home opens in ${lang}`, async ({ page }) => {
    const answer = await page.goto(`/${lang}/`);
    expect(answer?.status()).toBe(200);
    await expect(page.locator("html")).toHaveAttribute("lang", lang);
    await expect(page.locator("h1")).toHaveCount(1);
    await expect(page).toHaveTitle(/ — Touchstone$/);
    await expect(page.getByRole("link", { name, exact: true })).toHaveAttribute("aria-current", "true");
  });

  test(`home in ${lang} is accessible in both themes @js-on`, async ({ page, script }) => {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/${lang}/`);
      await awake(page, script);
      await expectAccessible(page);
    }
  });

  test(`the language switch leaves ${lang} and stays on the page, query included`, async ({ page }) => {
    await page.goto(`/${lang}/?q=x%20y`);
    await page.getByRole("link", { name: other, exact: true }).click();
    await expect(page).toHaveURL(`/${lang === "ja" ? "en" : "ja"}/?q=x%20y`);
  });
}

test("/ follows Accept-Language", async ({ request }) => {
  for (const [asked, home] of [
    ["ja-JP,ja;q=0.9,en;q=0.8", "/ja/"],
    ["de,en;q=0.5", "/en/"],
  ]) {
    const answer = await request.get("/", { headers: { "accept-language": asked }, maxRedirects: 0 });
    expect([answer.status(), answer.headers()["location"]]).toEqual([307, home]);
  }
});

test("the theme is kept over pages and visits", async ({ page, script }) => {
  await page.goto("/en/");
  await awake(page, script);
  const root = page.locator("html");
  await expect(root).not.toHaveAttribute("data-theme");
  await page.getByRole("button", { name: "Dark" }).click();
  await expect(root).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("button", { name: "Dark" })).toHaveAttribute("aria-pressed", "true");
  await page.goto("/ja/");
  await expect(root).toHaveAttribute("data-theme", "dark");
  await awake(page, script);
  await page.getByRole("button", { name: "自動" }).click();
  await expect(root).not.toHaveAttribute("data-theme");
});

for (const path of ["/en/nothing", "/fr/", "/ja/studies/no-such-study", "/en/runs/no-such-run"]) {
  test(`${path} is not found and says so`, async ({ page, complaints }) => {
    const answer = await page.goto(path);
    expect(answer?.status()).toBe(404);
    await expect(page.locator("h1")).toHaveText(/Page not found|ページが見つかりません/);
    // Chromium logs every page that answers 404.
    complaints.splice(0);
  });
}

test("scripts of others are refused by the content policy @js-on", async ({ page, complaints }) => {
  await page.goto("/en/");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return "ran" in window;
  });
  expect(ran).toBe(false);
  expect(complaints.join()).toContain("Content Security Policy");
  complaints.splice(0);
});
