// `test` as in Playwright, but a page that logs an error or breaks its own content policy fails.
import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";

/** With JavaScript or without. */
export type Script = "js-on" | "js-off";

export const test = base.extend<{ script: Script; complaints: string[] }>({
  script: async ({}, use, info) => {
    await use(info.project.name as Script);
  },
  complaints: [
    async ({ page, script }, use) => {
      const complaints: string[] = [];
      // Where no script runs, nothing uses the program that was preloaded for it.
      const expected = (text: string) => script === "js-off" && text.includes("was preloaded using link preload");
      page.on("console", (message) => {
        const loud = ["error", "warning"].includes(message.type());
        if (loud && !expected(message.text())) complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(String(error)));
      await use(complaints);
      expect(complaints, "the console stays silent").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Waits until the page's islands are awake; nothing to wait for without JavaScript. */
export async function awake(page: Page, script: Script) {
  if (script === "js-on") await expect(page.locator(".asleep")).toHaveCount(0);
}

/** No finding of axe that keeps a person out. */
export async function expectAccessible(page: Page) {
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    .analyze();
  const found = violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map((n) => n.target).join(", ")}`);
  expect(found).toEqual([]);
}
