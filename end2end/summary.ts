// Closes the run with one line that reads the same in every language and tool: "N passed, N failed".
import type { FullResult, Reporter, Suite } from "@playwright/test/reporter";

export default class Summary implements Reporter {
  private suite?: Suite;

  onBegin(_config: unknown, suite: Suite) {
    this.suite = suite;
  }

  onEnd(_result: FullResult) {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const test of this.suite?.allTests() ?? []) {
      const outcome = test.outcome();
      if (outcome === "skipped") count.skipped += 1;
      else if (outcome === "unexpected") count.failed += 1;
      else count.passed += 1;
    }
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
  }

  printsToStdio() {
    return true;
  }
}
