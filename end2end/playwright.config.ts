// The site as a reader meets it: the real binary, in Debian's Chromium, with and without JavaScript.
// `cargo xtask test` builds the binary and chooses a free port; on its own: `npm test` after `cargo xtask build`.
import { defineConfig, devices } from "@playwright/test";

const port = process.env.TOUCHSTONE_E2E_PORT ?? "3199";
const origin = `http://127.0.0.1:${port}`;

export default defineConfig({
  testDir: "tests",
  outputDir: "../target/end2end/results",
  forbidOnly: Boolean(process.env.CI),
  fullyParallel: true,
  // Two: the machines that run this have two cores, one of which the server needs.
  workers: 2,
  retries: 0,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  reporter: [["list"], ["./summary.ts"]],
  use: {
    ...devices["Desktop Chrome"],
    baseURL: origin,
    locale: "en-GB",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
  projects: [
    { name: "js-on", grepInvert: /@js-off/ },
    { name: "js-off", grepInvert: /@js-on/, use: { javaScriptEnabled: false } },
  ],
  webServer: {
    command: `../target/debug/touchstone demo --addr 127.0.0.1:${port} --data-dir ../target/end2end/data`,
    url: `${origin}/healthz`,
    reuseExistingServer: false,
    timeout: 60_000,
    gracefulShutdown: { signal: "SIGTERM", timeout: 10_000 },
    stdout: "ignore",
    stderr: "pipe",
  },
});
