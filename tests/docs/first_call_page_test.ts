// Follows the page first-call from `npx` to the deal, on a stack that the page's command starts, with its demo key.
import assert from "node:assert/strict";
import { join } from "node:path";
import { collectOutput } from "../../run/local/output.ts";
import { stopPostgres } from "../../run/local/postgres.ts";
import { readStackFile } from "../../run/local/stack_file.ts";
import { eventually } from "../../bench/harness/waiting.ts";
import { needing } from "../support/needing.ts";
import { makeStartedDataDir } from "../support/own_stack.ts";
import { openPage } from "./claims.ts";
import { openReader, parse } from "./reader.ts";

const ROOT = join(import.meta.dirname!, "../..");

/** Seconds that the stack's start may take on a busy machine. */
const START_SECONDS = 180;

Deno.test(needing(["sh", "curl", "sed", "node"], {
  name: "The page first-call leads from its first command to a lead, and to the error that the page shows",
  fn: async () => {
    const page = await openPage("first-call", { sh: 6, js: 1, json: 2 });
    const [start, variables, lead, list, run, mistake] = page.blocks.sh;
    const [created, refused] = page.blocks.json.map(parse);
    const dataDir = await makeStartedDataDir();
    try {
      await using stack = await startStack(start!, dataDir);
      for (const text of [page.pt, page.en]) assertPrints(stack.printed, text);
      // Empty, because the page's commands set them.
      const unset = { CRM_URL: "", CRM_KEY: "" };
      await using reader = await openReader(stack.base_url, stack.demo_key, { DATA_DIR: dataDir, ...unset });
      const follow = async (block: string) => (await reader.run(`${variables}\n${block}`)).join("\n");

      const reply = parse(await follow(lead!));
      assert.deepEqual(withoutIdsAndTimes(reply), withoutIdsAndTimes(created));
      assert.equal(parse(await follow(list!)).data[0].id, reply.lead.deal_id);
      await reader.write("first-lead.mjs", page.blocks.js[0]!);
      assert.match(await follow(run!), /^Negócio: [0-9a-f-]{36}$/);
      assert.deepEqual(parse(await follow(mistake!)), refused);

      // With a wrong key, the call fails and the program says why.
      const wrongKey = await reader.fail(`${variables}\nexport CRM_KEY=svc_x\n${run}`);
      assert.match(wrongKey, /^401 invalid_api_key .*\nX-Request-Id: [0-9a-f-]{36}\n$/);
      await reader.write("first-lead.mjs", page.blocks.js[0]!.replace('email: "', 'emial: "'));
      assert.match(await reader.fail(`${variables}\n${run}`), /^422 validation_error .*\n {2}emial: /);
      // An address where nothing listens.
      const nowhere = await reader.fail(`${variables}\nexport CRM_URL=http://127.0.0.1:1\n${run}`);
      assert.match(nowhere, /fetch failed/);
    } finally {
      await stopPostgres(dataDir);
      await Deno.remove(dataDir, { recursive: true });
    }
  },
}));

/** Runs the page's command in the root until the stack is up. In it, `npx` starts the Deno that runs the tests. */
async function startStack(command: string, dataDir: string) {
  const npx = 'npx() { [ "$1 $2" = "-y deno@2.9.6" ] || exit 2; shift 2; "$DENO" "$@"; }';
  const child = new Deno.Command("sh", {
    args: ["-ec", `${npx}\n${command}`],
    cwd: ROOT,
    env: { DENO: Deno.execPath(), PORT: "0", DATABASE_URL: "", APP_ORIGIN: "", DATA_DIR: dataDir },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const { ended, output } = collectOutput(child, [child.stdout]);
  await eventually(() => /^Ctrl-C stops everything/m.test(output()), "the stack", START_SECONDS).catch(
    ({ message }) => {
      throw new Error(`${message}:\n${output()}`);
    },
  );
  const file = await readStackFile(dataDir);
  const printed = output();
  assert.ok(printed.includes(`API ready at ${file.base_url}\n`));
  assert.ok(printed.includes(file.demo_key));
  return {
    ...file,
    printed,
    async [Symbol.asyncDispose](): Promise<void> {
      Deno.kill(file.pid, "SIGTERM");
      await ended;
    },
  };
}

/** Asserts that the first command prints the lines that the page explains, in the page's order. */
function assertPrints(printed: string, page: string): void {
  const [, table] = /^\|[^\n]*\n\| ---[^\n]*\n((?:\|[^\n]*\n)+)/m.exec(page)!;
  const shown = [...table!.matchAll(/^\| `([^`]+)`/gm)].map(([, text]) => text!);
  assert.ok(shown.length > 0);
  const pattern = shown.map((text) => RegExp.escape(text).replaceAll("…", "\\S+")).join("$[^]*^ *");
  assert.match(printed, new RegExp(`^ *${pattern}$`, "m"));
}

/** Replaces ids and times, which differ from call to call, with placeholders, so that replies can be compared. */
function withoutIdsAndTimes(reply: unknown): unknown {
  const text = JSON.stringify(reply)
    .replaceAll(/"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"id"')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"');
  return JSON.parse(text);
}
