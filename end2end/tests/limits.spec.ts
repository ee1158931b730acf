// A reader's own limits: a form that works without JavaScript, an address that is the view, a mark, and a way back.
import { awake, expect, expectAccessible, test } from "./reader";

const study = "/en/studies/qwen3-14b-h100";

test("other limits rank again, are marked as the reader's, and lead back", async ({ page, script }) => {
  await page.goto(study);
  await awake(page, script);
  await expect(page.locator(".command pre")).toContainText("Qwen/Qwen3-14B-FP8");
  await expect(page.locator(".own-limits")).toHaveCount(0);
  await page.getByText("Try other SLOs").click();
  // FP8 takes 251.67 ms a token on ShareGPT; SGLang with the original weights takes 235.33 ms.
  await page.locator('input[name="slo:sharegpt:tpot_mean_ms"]').fill("240");
  await page.getByRole("button", { name: "Rank again" }).click();
  await expect(page).toHaveURL(/slo%3Asharegpt%3Atpot_mean_ms=240.*#conclusion$/);
  await awake(page, script);
  const command = page.locator(".command pre");
  await expect(command).toContainText("python3 -m sglang.launch_server --model-path Qwen/Qwen3-14B");
  await expect(command).not.toContainText("FP8");
  await expect(page.locator(".own-limits")).toContainText("yours, not the study's");
  await expect(page.locator(".own-limits")).toContainText("ShareGPT: Mean TPOT ≤ 240");
  await expect(page.locator('input[name="slo:sharegpt:tpot_mean_ms"]')).toHaveValue("240");
  const ranking = page.locator("#ranking");
  await expect(ranking).toContainText("Misses an SLO. Mean TPOT on ShareGPT is 251.67");
  // The address alone gives the same view, in the other language too.
  const address = page.url().replace("/en/", "/ja/");
  await page.goto(address);
  await expect(page.locator(".own-limits")).toContainText("ご自身で指定したSLO");
  await expect(page.locator(".command pre")).not.toContainText("FP8");
  await page.locator(".own-limits a").click();
  await expect(page).toHaveURL(/\/ja\/studies\/qwen3-14b-h100$/);
  await expect(page.locator(".command pre")).toContainText("FP8");
});

test("the order follows the limits", async ({ page, script }) => {
  await page.goto(study);
  await awake(page, script);
  // Places are told by the rows' headings: `1. fa3`; what may not win has none.
  const places = () => page.locator("#ranking table").first().locator("tbody th").allTextContents();
  const before = await places();
  expect(before[0]).toMatch(/^1\. /);
  const limited = `${study}?slo%3Asharegpt%3Atpot_mean_ms=240`;
  await page.goto(limited);
  await awake(page, script);
  const after = await places();
  expect(after).toHaveLength(before.length);
  expect(after).not.toEqual(before);
  const first = (rows: string[]) => rows.find((row) => row.startsWith("1. "));
  expect(first(after)).not.toEqual(first(before));
  // Another limit each time, so that nothing can answer from memory. A figure for the log, not an assertion.
  const times: number[] = [];
  for (let limit = 240; limit < 245; limit += 1) {
    const begun = performance.now();
    const answer = await page.request.get(`${study}?slo%3Asharegpt%3Atpot_mean_ms=${limit}`);
    expect(await answer.text()).toContain("yours, not the study");
    times.push(performance.now() - begun);
  }
  console.log(`ranked anew in ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
});

test("what is no limit is named and ignored, and nobody may be left", async ({ page, script }) => {
  await page.goto(`${study}?slo=1&slo%3Asharegpt%3Attft_p99_ms=fast&slo%3Anobody%3Attft_p99_ms=1`);
  await awake(page, script);
  await expect(page.getByRole("alert")).toContainText("sharegpt:ttft_p99_ms=fast");
  await expect(page.locator(".command pre")).toContainText("FP8");
  await page.goto(`${study}?slo%3Asharegpt%3Attft_p99_ms=1`);
  await expect(page.locator(".conclusion")).toContainText("none is known to keep every SLO");
  await expect(page.locator(".command")).toHaveCount(0);
});

test("a view under own limits is accessible and fits a small phone @js-on", async ({ page, script }) => {
  test.setTimeout(120_000);
  await page.goto(`${study}?slo%3Asharegpt%3Atpot_mean_ms=240&slo%3Along-prompt%3Ae2el_p99_ms=60000`);
  await awake(page, script);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 720 });
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  await expectAccessible(page);
});
