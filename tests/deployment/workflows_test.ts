// What every workflow must hold: it runs code of pull requests, and code that others publish.
import assert from "node:assert/strict";
import { join } from "node:path";
import { load } from "js-yaml";

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
  steps: Step[];
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
const steps = jobs.flatMap(({ name, steps }) => steps.map((step) => ({ name, ...step })));

/** The jobs whose token may do more than read the repository's files. */
const PERMISSIONS: Record<string, Record<string, string>> = {
  "pages.yml, build": { contents: "read", pages: "read" },
  "pages.yml, publish": { pages: "write", "id-token": "write" },
  "sdk.yml, npm": { "id-token": "write" },
  "sdk.yml, jsr": { "id-token": "write" },
};

/** The only commands of jobs whose token may write: they publish what another job has built. */
const PUBLISHING: Record<string, string> = {
  "sdk.yml, npm": "npm publish ./sdk.tgz --provenance --access public --ignore-scripts",
  "sdk.yml, jsr": "npx -y deno@2.9.6 publish",
};

Deno.test("A workflow's token can only read the repository's files; the jobs that publish say what else they may", () => {
  assert.ok(workflows.length > 0);
  for (const { name, workflow } of workflows) {
    assert.deepEqual(workflow.permissions, { contents: "read" }, name);
  }
  for (const { name, permissions } of jobs) assert.deepEqual(permissions, PERMISSIONS[name], name);
});

Deno.test("A job whose token may write runs only actions of GitHub and commands that publish, no code of the repository", () => {
  const writing = jobs.filter(({ permissions = {} }) => Object.values(permissions).includes("write"));
  assert.ok(writing.length > 0);
  for (const { name, steps } of writing) {
    for (const { uses, run } of steps) {
      if (uses) assert.match(uses, /^actions\/(?!checkout)/, name);
      else assert.equal(run, PUBLISHING[name] ?? null, name);
    }
  }
});

Deno.test("The console is built for the repository's project and Pages address, and not without them", () => {
  const build = steps.find(({ name, run }) => name === "pages.yml, build" && run?.includes("task console"))!;
  assert.deepEqual(build.env, {
    CONSOLE_SUPABASE_URL: "${{ vars.SUPABASE_URL }}",
    CONSOLE_PUBLISHABLE_KEY: "${{ vars.SUPABASE_PUBLISHABLE_KEY }}",
    CONSOLE_BASE_PATH: "${{ steps.pages.outputs.base_path }}/console/",
  });
  for (const missing of ["CONSOLE_SUPABASE_URL", "CONSOLE_PUBLISHABLE_KEY"]) {
    const env = {
      CONSOLE_SUPABASE_URL: "https://x.supabase.co",
      CONSOLE_PUBLISHABLE_KEY: "k",
      [missing]: "",
    };
    // With an empty PATH: it ends before it runs anything.
    const { code, stderr } = new Deno.Command("/bin/sh", {
      args: ["-e", "-c", build.run!],
      clearEnv: true,
      env: { ...env, PATH: "" },
    }).outputSync();
    assert.notEqual(code, 0);
    assert.match(new TextDecoder().decode(stderr), new RegExp(`${missing}: set the variable`));
  }
});

Deno.test("The site and the console below it are published together, each built for its Pages address", () => {
  const [site, console, upload] = ["task site", "task console", "upload-pages-artifact"].map((what) =>
    steps.findIndex(({ name, run, uses }) => name === "pages.yml, build" && (run ?? uses)?.includes(what))
  ) as [number, number, number];
  // The site's build replaces its folder, so the console is put into it afterwards.
  assert.ok(0 <= site && site < console && console < upload);
  assert.deepEqual(steps[site]!.env, {
    SITE_ORIGIN: "${{ steps.pages.outputs.origin }}",
    SITE_BASE_PATH: "${{ steps.pages.outputs.base_path }}/",
  });
  assert.match(steps[console]!.run!, /task console site\/dist\/console\s*$/);
  assert.deepEqual(steps[upload]!.with, { path: "site/dist" });
});

Deno.test("Every action is pinned to a commit, and a comment says which version that is", () => {
  for (const { name, text } of workflows) {
    const lines = text.match(/^.*\buses:.*$/gm) ?? [];
    assert.equal(lines.length, steps.filter((step) => step.name.startsWith(`${name}, `) && step.uses).length);
    for (const line of lines) {
      // A tag can be moved to another commit by whoever controls the action's repository.
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
  for (const { name, "timeout-minutes": minutes } of jobs) {
    assert.ok(Number(minutes) > 0 && Number(minutes) <= 60, name);
  }
});

Deno.test("No workflow runs a fork's code with the repository's rights, or a client's text as a command", () => {
  for (const { name, workflow } of workflows) {
    // A name, a list of names, or an object with a key for each.
    assert.doesNotMatch(JSON.stringify(workflow.on), /"(pull_request_target|workflow_run)"/, name);
  }
  // The value of an expression becomes part of the script before a shell reads it. In `env` it stays a value.
  for (const { name, run = "" } of steps) assert.doesNotMatch(run, /\$\{\{/, name);
});
