// Notes in the browser: written, previewed, compared, brought back, fought over; with and without JavaScript.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { awake, expect, expectAccessible, test, type Script } from "./reader";

const run = readFileSync(join(__dirname, "../../server/demo/qwen3.5-9b-h100/runs/18-throughput-optimized.txt"));

const words = {
  en: { notes: "Notes", write: "Write a note", preview: "Show the preview", save: "Save", over: "Save mine over the newer one", saved: "Saved in Japanese.", missing: "Missing in English: there is a note in Japanese.", state: "missing", history: "History", compare: "Compare", restore: "Restore", restoring: "Revision 1 in Japanese is in the form. Nothing is saved yet.", restored: "restored from revision 1", conflict: "Somebody else saved the note in English", unsaved: "Nothing is saved yet." },
  ja: { notes: "メモ", write: "メモを書く", preview: "プレビューを表示", save: "保存", over: "自分の内容で上書き保存", saved: "日本語のメモを保存しました。", missing: "英語のメモがありません。日本語のメモはあります。", state: "未記入", history: "履歴", compare: "比較", restore: "復元", restoring: "日本語のリビジョン1を入力欄に入れました。まだ保存していません。", restored: "リビジョン1から復元", conflict: "別の人が英語のメモを保存しました", unsaved: "まだ保存していません。" },
};

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** A study that no other test has, with one run. */
async function study(page: Page, script: Script, name: string, lang: "en" | "ja") {
  const slug = `e2e-notes-${name}-${lang}-${script}`;
  await page.goto("/en/upload");
  await awake(page, script);
  await page.locator("#file").setInputFiles({ name: "run.txt", mimeType: "text/plain", buffer: run });
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

for (const lang of ["en", "ja"] as const) {
  const w = words[lang];

  test(`a note is written, seen, changed and brought back in ${lang}`, async ({ page, script }) => {
    const slug = await study(page, script, "one", lang);
    await page.goto(`/${lang}/studies/${slug}`);
    await awake(page, script);
    await page.locator("#notes").getByRole("link", { name: w.write }).click();
    await page.locator("#text-ja").fill("# 見出し\n\n**一つ目**の<script>alert(1)</script> ![図](https://evil.example/a.png)");
    await page.getByRole("button", { name: w.preview }).click();
    const preview = page.locator("#preview");
    await expect(preview).toContainText(w.unsaved);
    await expect(preview.locator("strong")).toHaveText("一つ目");
    await expect(preview).toContainText("<script>alert(1)</script>");
    await expect(preview.locator("img")).toHaveCount(0);
    await expect(page.locator("#missing-en")).toHaveText(w.missing);
    await page.getByRole("button", { name: w.save, exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: w.saved })).toBeVisible();
    await page.locator("#text-ja").fill("二つ目");
    await page.getByRole("button", { name: w.save, exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: w.saved })).toBeVisible();

    // The overview says what is missing; the report shows what there is.
    await page.locator(".crumbs").getByRole("link", { name: w.notes, exact: true }).click();
    await expect(page.locator("main")).toContainText("a|b<script>");
    await expect(page.locator(".notes__state--missing")).toHaveText(w.state);
    await page.goto(`/${lang}/studies/${slug}`);
    await expect(page.locator("#notes .said")).toContainText("二つ目");

    // History: compare, restore.
    await page.goto(`/${lang}/studies/${slug}/notes?on=study`);
    await page.locator(".notes__side").first().getByRole("link", { name: w.history }).click();
    await page.locator('input[name="from"][value="1"]').check();
    await page.locator('input[name="to"][value="2"]').check();
    await page.getByRole("button", { name: w.compare }).click();
    await expect(page.locator(".diff__new")).toContainText("二つ目");
    await expect(page.locator(".diff__old").first()).toContainText("見出し");
    await page.getByRole("link", { name: w.restore }).click();
    await expect(page.getByRole("status").filter({ hasText: w.restoring })).toBeVisible();
    await expect(page.locator("#text-ja")).toHaveValue(/一つ目/);
    await page.getByRole("button", { name: w.save, exact: true }).click();
    await page.locator(".notes__side").first().getByRole("link", { name: w.history }).click();
    await expect(page.locator(".notes__table")).toContainText(w.restored);
  });

  test(`two people at one note lose nothing in ${lang}`, async ({ page, script, complaints }) => {
    const slug = await study(page, script, "two", lang);
    const editor = `/${lang}/studies/${slug}/notes?on=study`;
    const other = await page.context().newPage();
    await page.goto(editor);
    await other.goto(editor);
    await other.locator("#text-en").fill("shared\ntheirs");
    await other.getByRole("button", { name: w.save, exact: true }).click();
    await expect(other.getByRole("status")).toBeVisible();
    await page.locator("#text-en").fill("shared\nmine");
    await page.getByRole("button", { name: w.save, exact: true }).click();
    await expect(page.locator("#problem")).toContainText(w.conflict);
    await expect(page.locator("#text-en")).toHaveValue("shared\nmine");
    await expect(page.locator(".notes__conflict pre")).toContainText("theirs");
    await expect(page.locator(".diff__old")).toContainText("theirs");
    await expect(page.locator(".diff__new")).toContainText("mine");
    if (script === "js-on") await expectAccessible(page);
    await page.getByRole("button", { name: w.over }).click();
    await expect(page.getByRole("status")).toBeVisible();
    await page.goto(`/${lang}/studies/${slug}`);
    await expect(page.locator("#notes .said")).toContainText("mine");
    // Chromium logs every answer of 409.
    expect(complaints.splice(0).every((text) => text.includes("409"))).toBe(true);
  });

  test(`the pages of notes in ${lang} are accessible in both themes and fit a small phone @js-on`, async ({ page, script }) => {
    test.setTimeout(180_000);
    const slug = await study(page, script, "look", lang);
    const notes = `/${lang}/studies/${slug}/notes`;
    const editor = `${notes}?on=study`;
    const long = "# 量子化\n\nFP8は**長い一行**です。`--max-num-batched-tokens 65536 --kv-cache-dtype fp8_e4m3 --attention-backend FLASHINFER`\n\n| 項目 | 値 |\n|-|-:|\n| 長い名前の項目 | 1,234,567.89 |\n\n- 一\n- 二\n\n```\nvllm serve Qwen/Qwen3.5-9B --a-very-long-argument-without-any-space=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n```";
    for (const [ja, en] of [[long, "# Quantization\n\nFP8 is one long line."], [`${long}\n\n最後の段落`, "# Quantization\n\nFP8."]]) {
      await page.goto(editor);
      await page.locator("#text-ja").fill(ja);
      await page.locator("#text-en").fill(en);
      await page.getByRole("button", { name: w.save, exact: true }).click();
    }
    for (const [name, path] of [["overview", notes], ["editor", editor], ["history", `${notes}/history?on=study&in=ja`], ["report", `/${lang}/studies/${slug}`]]) {
      for (const [colorScheme, width] of [["light", 1440], ["dark", 390]] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.goto(path);
        await awake(page, script);
        expect(await overflow(page), `${path} at ${width}`).toBeLessThanOrEqual(0);
        await expectAccessible(page);
        if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/notes-${name}-${lang}-${colorScheme}.png`, fullPage: name !== "report" });
      }
    }
  });
}
