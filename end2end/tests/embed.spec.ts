// What other sites show of a report, on another site: frames, charts and badges in both themes, and what refuses framing.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { awake, expect, expectAccessible, test } from "./reader";

const SLUG = "qwen3.5-9b-h100";

/** Another origin with one page. */
async function site(body: string): Promise<{ server: Server; url: string }> {
  const html = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
    <link rel="icon" href="data:,"><title>Another site</title><body>${body}</body></html>`;
  const server = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end(html));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  // Another host name, so that it is another site and not only another port.
  return { server, url: `http://localhost:${(server.address() as AddressInfo).port}/` };
}

for (const scheme of ["light", "dark"] as const) {
  test(`another site shows card, charts and badge (${scheme})`, async ({ page, baseURL }) => {
    const pictures = [
      `/ja/embed/${SLUG}/profiles.svg`,
      `/en/embed/${SLUG}/gain.svg`,
      `/en/studies/${SLUG}/card.png`,
      `/badge/${SLUG}.svg?lang=ja`,
    ];
    const { server, url } = await site(
      `<iframe src="${baseURL}/ja/embed/${SLUG}/card" title="card" width="720" height="480"></iframe>` +
        pictures.map((path) => `<img src="${baseURL}${path}" alt="" crossorigin="anonymous">`).join(""),
    );
    try {
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(url);
      const card = page.frameLocator("iframe");
      await expect(card.getByRole("heading", { level: 1 })).toHaveText("Qwen3.5-9B のスループット最適化");
      await expect(card.getByText("ゆらぎの範囲")).toBeVisible();
      await expect(card.getByText("--performance-mode=throughput")).toBeVisible();
      const ground = await card.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
      expect(ground).toBe(scheme === "light" ? "rgb(255, 255, 255)" : "rgb(23, 27, 31)");
      // Nothing of it is cut off at the size that the snippets give.
      const room = await card.locator("html").evaluate((html) => [html.scrollWidth, html.clientWidth]);
      expect(room[0]).toBe(room[1]);
      const link = card.getByRole("link", { name: "レポートを読む" });
      await expect(link).toHaveAttribute("target", "_blank");
      await expect(link).toHaveAttribute("rel", "noopener");
      await expect(link).toHaveAttribute("href", `${baseURL}/ja/studies/${SLUG}`);
      for (const image of await page.locator("img").all()) {
        await expect.poll(() => image.evaluate((it: HTMLImageElement) => it.complete && it.naturalWidth)).toBeGreaterThan(80);
      }
      // A chart's ground follows the theme, seen in its pixels.
      const corner = await page.locator("img").nth(1).evaluate((image: HTMLImageElement) => {
        const canvas = document.createElement("canvas");
        canvas.width = canvas.height = 8;
        const context = canvas.getContext("2d")!;
        context.drawImage(image, -4, -4);
        return [...context.getImageData(2, 2, 1, 1).data.slice(0, 3)];
      });
      expect(corner).toEqual(scheme === "light" ? [250, 250, 249] : [17, 20, 23]);
    } finally {
      server.close();
    }
  });
}

test("a card keeps to the theme that its address asks for", async ({ page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(`/en/embed/${SLUG}/card?theme=dark`);
  const ground = await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  expect(ground).toBe("rgb(23, 27, 31)");
});

test("embedded cards are accessible, also on a phone @js-on", async ({ page }) => {
  for (const [lang, slug] of [["ja", SLUG], ["en", "qwen3-14b-h100"]]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: colorScheme === "light" ? 720 : 320, height: 480 });
      await page.goto(`/${lang}/embed/${slug}/card`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      await expectAccessible(page);
    }
  }
});

test("all other pages refuse to be framed @js-on", async ({ page, baseURL, complaints }) => {
  const { server, url } = await site(`<iframe src="${baseURL}/en/studies/${SLUG}" title="report"></iframe>`);
  try {
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(url);
    await refused;
    await expect(page.frameLocator("iframe").getByRole("heading", { level: 1 })).toHaveCount(0);
    expect(complaints.join()).toContain("frame-ancestors 'none'");
    complaints.splice(0);
  } finally {
    server.close();
  }
});

for (const [lang, label] of [["en", "Embed"], ["ja", "埋め込み"]]) {
  test(`the report leads to lines for other pages, which can be selected and copied (${lang})`, async ({ page, script, context }) => {
    await page.goto(`/${lang}/studies/${SLUG}`);
    await page.getByRole("link", { name: label, exact: true }).click();
    await expect(page).toHaveURL(`/${lang}/studies/${SLUG}/embed`);
    await awake(page, script);
    const lines = page.locator(".snippet code");
    await expect(lines).toHaveCount(18);
    const all = (await lines.allTextContents()).join("\n");
    for (const part of [`/ja/embed/${SLUG}/card"`, `/en/embed/${SLUG}/card"`, "/gain.svg)", "/profiles.svg)", `/badge/${SLUG}.svg?lang=ja)`]) {
      expect(all).toContain(part);
    }
    expect(all).not.toContain('src="/');
    for (const image of await page.locator("img.embed__shown").all()) {
      await image.scrollIntoViewIfNeeded();
      await expect.poll(() => image.evaluate((it: HTMLImageElement) => it.complete && it.naturalWidth)).toBeGreaterThan(80);
    }
    await expect(page.frameLocator("iframe").getByText("--max-num-seqs=512")).toBeVisible();
    if (script === "js-on") {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.locator(".snippet .copy__button").first().click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await lines.first().textContent());
      await expectAccessible(page);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide).toBeLessThanOrEqual(0);
  });
}

test("previews of links know title, text and picture in both languages", async ({ page, request }) => {
  // Whether there are fonts for a picture is known once one was asked for.
  await request.get(`/en/studies/${SLUG}/card.png`);
  for (const [lang, locale, title] of [["en", "en_US", "Optimizing Qwen3.5-9B Throughput"], ["ja", "ja_JP", "Qwen3.5-9B のスループット最適化"]]) {
    await page.goto(`/${lang}/studies/${SLUG}`);
    const content = (name: string) => page.locator(`meta[property="${name}"], meta[name="${name}"]`).getAttribute("content");
    expect((await content("og:title"))?.replace(/\u00a0/g, " ")).toBe(title);
    expect(await content("og:locale")).toBe(locale);
    const image = (await content("og:image"))!;
    expect(image).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    const answer = await request.get(image);
    expect([answer.status(), answer.headers()["content-type"]]).toEqual([200, "image/png"]);
    expect(await content("twitter:image")).toBe(image);
  }
});

test("a badge of an unknown study is a picture that says so", async ({ request }) => {
  const answer = await request.get("/badge/no-such-study.svg");
  expect([answer.status(), answer.headers()["content-type"]]).toEqual([404, "image/svg+xml; charset=utf-8"]);
  expect(await answer.text()).toContain("not found");
});
