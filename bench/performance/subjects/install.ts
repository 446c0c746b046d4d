import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../../run/local/postgres_binaries.ts";
import { startStackProcess } from "../../../run/local/stack_process.ts";
import { atMost } from "../../harness/figures.ts";
import type { Subject } from "../../harness/subject.ts";
import { bytesOf } from "../cold_start/import_graph.ts";

const ROOT = join(import.meta.dirname!, "..", "..", "..");
const FIRST_SECONDS = 9;
const PACKAGES_MEGABYTES = 130;
const LATER_SECONDS = 0.4;

/** What somebody waits for who tries the API: `deno task start` in a fresh clone, with nothing installed, and again. */
export const install: Subject = {
  name: "install",
  title:
    "Starts of the local stack in a fresh clone of the last commit, with an empty home folder; needs npm's registry",
  async measure({ short, note }) {
    const folder = await Deno.makeTempDir({ prefix: "crm-install-" });
    try {
      const clone = join(folder, "clone");
      const { success, output } = await run("git", ["clone", "--quiet", ROOT, clone]);
      assert.ok(success, output);
      const start = () => timeStart(clone, join(folder, "home"));
      const first = await start();
      const megabytes = await bytesOf(join(clone, "node_modules")) / 2 ** 20;
      const later: number[] = [];
      for (let starts = short ? 3 : 9; starts > 0; starts--) later.push(await start());
      note(`later starts: ${later.map((seconds) => seconds.toFixed(2)).join(", ")} s`);
      return [
        atMost("First start in a fresh clone, packages and all", round(first), "s", FIRST_SECONDS),
        atMost("Packages that it installs", round(megabytes), "MB", PACKAGES_MEGABYTES),
        atMost("A later start", round(Math.min(...later)), "s", LATER_SECONDS),
      ];
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
};

/** Returns the seconds from the command to "API ready". */
async function timeStart(clone: string, home: string): Promise<number> {
  const started = performance.now();
  const stack = await startStackProcess(
    join(clone, ".local"),
    { HOME: home, DENO_DIR: join(home, "deno") },
    { args: ["task", "start"], cwd: clone },
  );
  const seconds = (performance.now() - started) / 1000;
  await stack.stop();
  return seconds;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
