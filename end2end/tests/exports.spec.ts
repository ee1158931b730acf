// Files of a report, opened by programs that are not ours: a browser without a network, a CSV parser, a reader of workbooks.
import { writeFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import readSheets, { type Sheet } from "read-excel-file/node";
import { expect, expectAccessible, test } from "./reader";

const STUDIES = ["qwen3-14b-h100", "qwen3.5-9b-h100"];

/** As pages write a figure: two decimals, thousands grouped. */
const shown = (value: number) => value.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

for (const slug of STUDIES) {
  for (const lang of ["en", "ja"]) {
    test(`${slug} in one file is complete from a disk, without a network (${lang})`, async ({ page, browser, script }, info) => {
      // axe reads a whole report.
      test.setTimeout(180_000);
      await page.goto(`/${lang}/studies/${slug}`);
      const headings = (await page.locator("main h2").allTextContents()).map(plain);
      const figures = await page.locator("#conclusion .num, #conclusion td").allTextContents();
      const charts = await page.locator("main svg[role=img]").count();
      const file = info.outputPath("report.html");
      const answer = await page.request.get(`/${lang}/studies/${slug}/report.html`);
      expect(answer.headers()["content-disposition"]).toContain(`${slug}-${lang}.html`);
      writeFileSync(file, await answer.body());

      const context = await browser.newContext({ offline: true, javaScriptEnabled: script === "js-on", viewport: { width: 390, height: 844 } });
      const alone = await context.newPage();
      const asked: string[] = [];
      const said: string[] = [];
      alone.on("request", (request) => asked.push(request.url()));
      alone.on("console", (message) => said.push(message.text()));
      await alone.goto(`file://${file}`);
      expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([`file://${file}`]);
      expect(said).toEqual([]);
      expect((await alone.locator("main h2").allTextContents()).map(plain)).toEqual(headings);
      expect(await alone.locator("#conclusion .num, #conclusion td").allTextContents()).toEqual(figures);
      expect(charts).toBeGreaterThan(2);
      expect(await alone.locator("main svg[role=img]").count()).toBe(charts);
      // Styled: the page is not as wide as its widest table.
      expect(await alone.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      expect(await alone.evaluate(() => getComputedStyle(document.querySelector("#conclusion")!).display)).not.toBe("inline");
      // Nothing in it leads to a server that it does not know.
      expect(await alone.locator('a[href^="/"]').count()).toBe(0);
      if (script === "js-on") await expectAccessible(alone);
      await context.close();
    });
  }

  test(`CSV and workbook of ${slug} hold the figures of the page`, async ({ page }) => {
    test.setTimeout(120_000);
    await page.goto(`/en/studies/${slug}`);
    const text = plain((await page.locator("main").textContent())!);
    const csv = async (table: string) => {
      const answer = await page.request.get(`/en/studies/${slug}/report.csv?table=${table}`);
      const body = await answer.body();
      expect([...body.subarray(0, 3)], "a BOM, for spreadsheets").toEqual([0xef, 0xbb, 0xbf]);
      return parse(body, { bom: true, relax_column_count: false }) as string[][];
    };
    const book = await page.request.get(`/en/studies/${slug}/report.xlsx`);
    const sheets: Sheet[] = await readSheets(Buffer.from(await book.body()));
    const tables = ["conclusion", "options", "runs", "findings"];
    let compared = 0;
    for (const table of tables) {
      const [header, ...rows] = await csv(table);
      const sheet = sheets.find((one) => one.data[0]?.map(String).join("|") === header.join("|"));
      expect(sheet, `a sheet with the columns of ${table}`).toBeDefined();
      const [, ...lines] = sheet!.data;
      expect(lines.length).toBe(rows.length);
      for (const [number, row] of rows.entries()) {
        for (const [column, cell] of row.entries()) {
          const other = lines[number][column];
          // A number in the workbook is a number, and the same one.
          if (typeof other === "number") {
            expect(Math.abs(other - Number(cell)), `${table} ${number} ${header[column]}`).toBeLessThanOrEqual(Math.abs(other) * 1e-6);
            compared += 1;
          } else if (other === null) {
            expect(cell).toBe("");
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(150);

    // The conclusion's throughputs stand on the page, as they stand in the file.
    const [header, ...rows] = await csv("conclusion");
    const place = (name: string) => header.indexOf(name);
    const found = rows.filter((row) => row[place("Metric")] === "Total TPS");
    expect(found.length).toBeGreaterThan(0);
    for (const row of found) {
      for (const column of ["Baseline", "Recommended"]) {
        if (row[place(column)] !== "") expect(text, `${row[0]} ${column}`).toContain(shown(Number(row[place(column)])));
      }
    }
  });
}
