// Uploading in the browser: choose, drop, paste, see what was understood, save; with and without JavaScript.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test } from "./reader";

const folder = join(__dirname, "../../server/demo/qwen3.5-9b-h100/runs");
const run = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(run(name), "utf8");
const optimized = "18-throughput-optimized.txt";
const failed = "04-speculative-decoding-mtp4.txt";

const words = {
  en: { title: "Upload results", preview: "Show the preview", stored: "Nothing is stored yet.", unreadable: "cannot be read", todo: "What to do", paste: "Paste a result block or JSON instead", pasted: "Pasted output", discard: "Discard", discarded: "The preview was discarded. Nothing of it was stored.", saved: "Saved", report: "Open the report", gone: "This preview is gone", problem: "This cannot go on yet" },
  ja: { title: "結果のアップロード", preview: "プレビューを表示", stored: "まだ何も登録していません。", unreadable: "読み取り不可", todo: "対処", paste: "結果ブロックやJSONを貼り付ける", pasted: "貼り付けた出力", discard: "破棄", discarded: "プレビューを破棄しました。内容は何も登録していません。", saved: "保存しました", report: "レポートを開く", gone: "プレビューはもうありません", problem: "このままでは進めません" },
};

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A file as a browser takes it; paths and contents cannot be mixed. */
const upload = (name: string, content = text(name)) => ({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

/** A study that no other test has. */
const slug = (name: string, lang: string, script: string) => `e2e-${name}-${lang}-${script}`;

async function preview(page: Page, lang: "en" | "ja") {
  await page.getByRole("button", { name: words[lang].preview }).click();
  await expect(page).toHaveURL(new RegExp(`/${lang}/upload/[0-9a-f]{64}$`));
}

for (const lang of ["en", "ja"] as const) {
  const w = words[lang];

  test(`three files are chosen, seen and saved in ${lang}`, async ({ page, script }) => {
    await page.goto(`/${lang}/`);
    await page.getByRole("navigation").getByRole("link", { name: lang === "en" ? "Upload" : "アップロード" }).click();
    await expect(page.locator("h1")).toHaveText(w.title);
    await awake(page, script);
    await page.locator("#file").setInputFiles([upload(optimized), upload(failed), upload("notes.txt", "connection refused\n")]);
    if (script === "js-on") await expect(page.locator(".progress")).toContainText(optimized);
    await preview(page, lang);
    await expect(page.locator(".title")).toContainText(w.stored);
    const files = page.locator("article.file");
    await expect(files).toHaveCount(3);
    for (const figure of ["34,470.14", "29,716.93", "1,033,932 / 128,000", "rate-mismatch", "tpot-identity", "peak-implausible"]) await expect(files.nth(0)).toContainText(figure);
    for (const figure of ["514", "12,619.64", "rate-mismatch"]) await expect(files.nth(1)).toContainText(figure);
    await expect(files.nth(2)).toContainText(w.unreadable);
    await expect(files.nth(2)).toContainText(w.todo);
    // A study of its own.
    const ours = slug("files", lang, script);
    await page.locator("#study").selectOption("+new");
    await page.locator("#slug").fill(ours);
    for (const at of [0, 1]) {
      await page.locator(`#variant-${at}`).selectOption("+new");
      await page.locator(`#engine-${at}`).fill("vLLM");
      await page.locator(`#model-${at}`).fill("Qwen/Qwen3.5-9B");
      await page.locator(`#profile-${at}`).selectOption("+new");
      await page.locator(`#pid-${at}`).fill(`load-${at}`);
    }
    await page.locator('button[value="save"]').click();
    await expect(page.locator("h1")).toHaveText(w.saved);
    await expect(page.locator("table.saved tbody tr")).toHaveCount(2);
    await expect(page.locator("main")).toContainText("notes.txt");
    await page.reload();
    await expect(page.locator("h1")).toHaveText(w.saved);
    await page.locator("table.saved tbody a").first().click();
    await expect(page).toHaveURL(new RegExp(`/${lang}/runs/[0-9a-f]+$`));
    await expect(page.locator("main")).toContainText("29,716.93");
    await page.goBack();
    await page.getByRole("link", { name: w.report }).click();
    await expect(page).toHaveURL(`/${lang}/studies/${ours}`);
  });

  test(`a text is pasted, and what is missing is said in ${lang}`, async ({ page, script }) => {
    await page.goto(`/${lang}/upload`);
    await awake(page, script);
    await page.getByText(w.paste).click();
    await page.getByLabel(w.pasted).fill(text("17-throughput-baseline.txt"));
    await preview(page, lang);
    await page.locator("#study").selectOption("+new");
    await page.locator("#slug").fill("Not A Slug");
    await page.locator("#variant-0").selectOption("+new");
    await page.locator("#engine-0").fill("vLLM");
    await page.locator("#profile-0").selectOption("+new");
    await page.locator('button[value="save"]').click();
    await expect(page.locator("#problem")).toContainText(w.problem);
    await expect(page.locator("#slug")).toHaveAttribute("aria-invalid", "true");
    await expect(page.locator("#slug")).toHaveValue("Not A Slug");
    await expect(page.locator("#engine-0")).toHaveValue("vLLM");
    await page.locator("#slug").fill(slug("paste", lang, script));
    await page.locator("#model-0").fill("Qwen/Qwen3.5-9B");
    await page.locator('button[value="save"]').click();
    await expect(page.locator("h1")).toHaveText(w.saved);
  });

  test(`a preview is discarded, and then it is gone in ${lang}`, async ({ page, script, complaints }) => {
    await page.goto(`/${lang}/upload`);
    await awake(page, script);
    await page.locator("#file").setInputFiles(run(optimized));
    await preview(page, lang);
    const address = page.url();
    await page.getByRole("button", { name: w.discard }).click();
    await expect(page.getByText(w.discarded)).toBeVisible();
    const answer = await page.goto(address);
    expect(answer?.status()).toBe(410);
    await expect(page.locator("h1")).toHaveText(w.gone);
    // Chromium logs every page that answers 410.
    complaints.splice(0);
  });

  test(`upload and preview in ${lang} are accessible in both themes and fit a small phone @js-on`, async ({ page, script }) => {
    test.setTimeout(180_000);
    await page.goto(`/${lang}/upload`);
    await awake(page, script);
    await page.locator("#file").setInputFiles([upload(optimized), upload(failed), upload("notes.txt", "Authorization: Bearer hunter22hunter22\n")]);
    await preview(page, lang);
    const address = page.url();
    for (const path of [`/${lang}/upload`, address]) {
      for (const [colorScheme, width] of [["light", 1440], ["dark", 320]] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(path);
        await awake(page, script);
        if (path === address) await page.locator("#variant-0").selectOption("+new");
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await expectAccessible(page);
      }
    }
  });
}

test("a known study offers its own variants, guessed from name and load", async ({ page, script }) => {
  await page.goto("/en/upload");
  await awake(page, script);
  await page.locator("#file").setInputFiles(upload("prefix-caching-run-2.txt", text("03-prefix-caching.txt")));
  await preview(page, "en");
  await page.locator("#study").selectOption("qwen3.5-9b-h100");
  await page.locator('button[value="look"]').click();
  await expect(page.locator("#study")).toHaveValue("qwen3.5-9b-h100");
  await expect(page.locator("#variant-0")).toHaveValue("prefix-caching");
  await page.getByRole("button", { name: "Discard" }).click();
});

test("files are dropped one after the other, sent with progress, and kept when the server refuses @js-on", async ({ page, script, complaints }) => {
  await page.goto("/en/upload");
  await awake(page, script);
  const drop = (name: string, content: string) =>
    page.evaluate(
      ([name, content]) => {
        const data = new DataTransfer();
        data.items.add(new File([content], name));
        window.dispatchEvent(new DragEvent("dragover", { dataTransfer: data, cancelable: true }));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
      },
      [name, content],
    );
  await drop("a.txt", text(optimized));
  await drop("b.txt", text(failed));
  await expect(page.locator(".progress")).toContainText("a.txt, b.txt");
  await page.route("**/en/upload", (route) => (route.request().method() === "POST" ? route.abort() : route.continue()));
  await page.getByRole("button", { name: "Show the preview" }).click();
  await expect(page.locator("#progress-words")).toContainText("The connection was lost");
  await page.unroute("**/en/upload");
  complaints.splice(0);
  await preview(page, "en");
  await expect(page.locator("article.file")).toHaveCount(2);
});

test("what the server refuses is said without losing the choice", async ({ page, script, complaints }) => {
  await page.goto("/en/upload");
  await awake(page, script);
  await page.getByRole("button", { name: "Show the preview" }).click();
  await expect(page.locator("#problem")).toContainText("neither a file nor a pasted text");
  // Chromium logs every answer of 422.
  complaints.splice(0);
  await page.locator("#file").setInputFiles(run(optimized));
  await preview(page, "en");
});

test("text that is pasted anywhere lands in the field @js-on", async ({ page, script }) => {
  await page.goto("/en/upload");
  await awake(page, script);
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, text(optimized));
  await expect(page.getByLabel("Pasted output")).toBeFocused();
  await preview(page, "en");
  await expect(page.locator("article.file")).toContainText("29,716.93");
});
