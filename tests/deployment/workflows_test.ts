// Rules for all workflows, because they run code from pull requests and code that others publish.
import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";
import { outcomeOf } from "../support/run.ts";

const FOLDER = join(import.meta.dirname!, "../../.github/workflows");

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Job {
  permissions?: Record<string, string>;
  "timeout-minutes"?: unknown;
  /** A reusable workflow, in place of steps. */
  uses?: string;
  steps?: Step[];
}

interface Workflow {
  on: unknown;
  permissions?: unknown;
  jobs: Record<string, Job>;
}

const workflows: { name: string; text: string; workflow: Workflow }[] = [];
for await (const { name } of Deno.readDir(FOLDER)) {
  const text = await Deno.readTextFile(join(FOLDER, name));
  workflows.push({ name, text, workflow: load(text) as Workflow });
}
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([job, declared]) => ({ name: `${name}, ${job}`, ...declared }))
);
const steps = jobs.flatMap(({ name, steps = [] }) => steps.map((step) => ({ name, ...step })));

/** Jobs whose token may do more than read the repository. */
const PERMISSIONS: Record<string, Record<string, string>> = {
  "pages.yml, build": { contents: "read", pages: "read" },
  "pages.yml, publish": { pages: "write", "id-token": "write" },
  "release.yml, publish": { contents: "write" },
  "sdk.yml, npm": { "id-token": "write" },
  "sdk.yml, jsr": { "id-token": "write" },
};

/** The only commands in jobs whose token may write: they publish what another job built. */
const PUBLISHING: Record<string, string> = {
  "release.yml, publish": 'gh release create "$GITHUB_REF_NAME" ./* --verify-tag --notes "See CHANGELOG.md"',
  "sdk.yml, npm": "npm publish ./sdk.tgz --provenance --access public --ignore-scripts",
  "sdk.yml, jsr": "npx -y deno@2.9.6 publish",
};

Deno.test("The token of a workflow can only read the repository, except in jobs that publish", () => {
  assert.ok(workflows.length > 0);
  for (const { name, workflow } of workflows) {
    assert.deepEqual(workflow.permissions, { contents: "read" }, name);
  }
  for (const { name, permissions } of jobs) assert.deepEqual(permissions, PERMISSIONS[name], name);
});

Deno.test("A job whose token may write runs only GitHub's actions and publishing commands", () => {
  const writing = jobs.filter(({ permissions = {} }) => Object.values(permissions).includes("write"));
  assert.ok(writing.length > 0);
  for (const { name, steps = [] } of writing) {
    for (const { uses, run } of steps) {
      if (uses) assert.match(uses, /^actions\/(?!checkout)/, name);
      else assert.equal(run, PUBLISHING[name] ?? null, name);
    }
  }
});

Deno.test("The build of the console fails without the repository's variables for its project", async () => {
  const build = steps.find(({ name, run }) => name === "pages.yml, build" && run?.includes("task console"))!;
  for (const missing of ["CONSOLE_SUPABASE_URL", "CONSOLE_PUBLISHABLE_KEY"]) {
    const env = {
      CONSOLE_SUPABASE_URL: "https://x.supabase.co",
      CONSOLE_PUBLISHABLE_KEY: "k",
      [missing]: "",
    };
    // The PATH is empty, so the script must end before it runs any program.
    const options = { clearEnv: true, env: { ...env, PATH: "" } };
    const { code, stderr } = await outcomeOf("/bin/sh", ["-e", "-c", build.run!], options);
    assert.notEqual(code, 0);
    assert.match(stderr, new RegExp(`${missing}: set the variable`));
  }
});

Deno.test("Every action is pinned to a commit, with its version in a comment", () => {
  for (const { name, text } of workflows) {
    // Leaves out workflows of this repository, which have no version.
    const lines = (text.match(/^.*\buses:.*$/gm) ?? []).filter((line) => !line.includes("uses: ./.github/"));
    assert.equal(lines.length, steps.filter((step) => step.name.startsWith(`${name}, `) && step.uses).length);
    for (const line of lines) {
      // Requires the hash of a commit: an action's owner can move a tag to another commit.
      assert.match(line, /uses: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/, name);
    }
  }
});

Deno.test("A checkout leaves no token in the repository's configuration", () => {
  const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  assert.ok(checkouts.length > 0);
  for (const { name, with: inputs } of checkouts) assert.equal(inputs?.["persist-credentials"], false, name);
});

Deno.test("Every job has a time limit of at most an hour", () => {
  for (const { name, uses, "timeout-minutes": minutes } of jobs) {
    if (uses !== undefined) continue;
    assert.ok(Number(minutes) > 0 && Number(minutes) <= 60, name);
  }
});

Deno.test("No workflow runs a fork's code with the repository's rights, or a user's text as a command", () => {
  for (const { name, workflow } of workflows) {
    // `on` may be a name, a list of names, or an object with a key for each name.
    assert.doesNotMatch(JSON.stringify(workflow.on), /"(pull_request_target|workflow_run)"/, name);
  }
  // An expression in `run` becomes part of the script; in `env` it stays a value.
  for (const { name, run = "" } of steps) assert.doesNotMatch(run, /\$\{\{/, name);
});
