import assert from "node:assert/strict";
import { createProgram } from "../../run/cli/program.ts";
import { databaseUrl } from "../support/stack.ts";
import { startDroppingServer } from "../support/dropping_server.ts";
import { assertOneLine, crm, crmProcess, say } from "./crm.ts";

const COMMANDS = createProgram().commands.flatMap((group) =>
  group.commands.map((command) => [group.name(), command.name()])
);

Deno.test("Every command has a --help with its options and an example", async () => {
  await Promise.all(COMMANDS.map(async ([group, command]) => {
    const help = await say(group!, command!, "--help");
    assert.match(help, new RegExp(`^Usage: deno task crm ${group} ${command} `));
    assert.match(help, /--json +print JSON/);
    assert.match(help, new RegExp(`^Examples:\n  deno task crm ${group} ${command}`, "m"));
  }));
});

Deno.test("--help shows the groups, and --help of a group shows its commands", async () => {
  const help = await say("--help");
  for (const group of new Set(COMMANDS.map(([group]) => group))) {
    assert.match(help, new RegExp(`^  ${group} +\\w`, "m"));
  }
  assert.match(await say("workspace", "--help"), /^ {2}create [^]*^ {2}update [^]*^ {2}list /m);
});

Deno.test("Without a command the help goes to standard error, with exit code 2", async () => {
  for (const args of [[], ["workspace"]]) {
    const { code, stdout, stderr } = await crm(args);
    assert.deepEqual({ code, stdout }, { code: 2, stdout: "" });
    assert.match(stderr, /^Usage: deno task crm /);
  }
});

Deno.test("DATABASE_URL takes precedence over the stack on DATA_DIR", async () => {
  const { code } = await crm(["workspace", "list"], { DATABASE_URL: databaseUrl, DATA_DIR: "/nonexistent" });
  assert.equal(code, 0);
  const outcome = await crmProcess(["workspace", "list", "--json"]);
  assert.deepEqual({ code: outcome.code, stderr: outcome.stderr }, { code: 0, stderr: "" });
  assert.ok(Array.isArray(JSON.parse(outcome.stdout)));
});

Deno.test("node restore says in one line that a file is missing or is not what node list printed", async () => {
  for (const file of ["/nonexistent", "README.md", "deno.json"]) {
    assertOneLine(await crm(["node", "restore", file]), 1, /is not what `node list --json` printed: /, file);
  }
});

Deno.test("Without a database the error says in one line what to do, also if the server drops connections", async () => {
  await using dropping = startDroppingServer();
  const url = new URL(databaseUrl);
  const elsewhere = (change: Partial<URL>) => ({ DATABASE_URL: Object.assign(new URL(url), change).href });
  const unreachable = /The database cannot be reached: start it with `deno task start`/;
  const lacking = /The database lacks what this command needs: apply the migrations/;
  const cases: [Record<string, string>, RegExp][] = [
    [{ DATA_DIR: "/nonexistent" }, /No stack is running on \/nonexistent: start one with `deno task start`/],
    [{ DATABASE_URL: "mysql://x" }, /DATABASE_URL is not an address of Postgres/],
    [{ DATABASE_URL: "postgresql://u:100%@127.0.0.1/x" }, /DATABASE_URL is not an address of Postgres/],
    [elsewhere({ port: "1" }), unreachable],
    [elsewhere({ port: String(dropping.port) }), unreachable],
    [elsewhere({ password: "wrong" }), /The database refuses the connection \(28P01\): correct DATABASE_URL/],
    [elsewhere({ pathname: "/nowhere" }), /The database refuses the connection \(3D000\)/],
    [elsewhere({ pathname: "/template1" }), lacking],
  ];
  for (const [env, line] of cases) {
    const outcome = await crm(["workspace", "list"], env);
    assertOneLine(outcome, 1, line, JSON.stringify(env));
    assert.ok(!outcome.stderr.includes(url.password), "a password is never shown");
  }
});
