import assert from "node:assert/strict";
import { type OpenApi, operationsOf, parametersOf, repliesOf } from "../../tools/openapi/read_document.ts";
import { curlOf } from "../../tools/reference/curl.ts";
import { exampleCall } from "../../tools/reference/example_call.ts";
import { operationPagePath, operationPages } from "../../tools/reference/markdown.ts";
import { samplesOf } from "../../tools/reference/samples.ts";
import { openApiDocument } from "../../tools/openapi/document.ts";
import { apiEndpoints } from "../../tools/resources.ts";
import { errorCodes } from "../../tools/errors/error_codes.ts";
import { operationId, pathOf } from "../../tools/openapi/operation_id.ts";
import { needing } from "../support/needing.ts";
import { makeWorkspaceWithDeal } from "../support/fixtures.ts";
import { makeProposal, tokenOf } from "../support/proposals.ts";
import { run } from "../support/run.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";

const SITE = "https://docs.example/crm/";
const SDK = new URL("../../clients/sdk/src/index.ts", import.meta.url).href;

const written = (["pt", "en"] as const).map((language) => {
  const document = openApiDocument("api", language) as OpenApi;
  return { document, language, pages: operationPages(document, language, SITE) };
});

/** The part of a page below a heading, up to the next heading of the same level. */
function sectionOf(page: string, heading: string): string {
  const start = page.indexOf(`\n## ${heading}\n`);
  assert.notEqual(start, -1, `${heading} in\n${page}`);
  const end = page.indexOf("\n## ", start + 1);
  return page.slice(start, end === -1 ? undefined : end);
}

for (const { document, language, pages } of written) {
  const headings = language === "pt"
    ? { parameters: "Parâmetros", body: "Corpo", errors: "Erros" }
    : { parameters: "Parameters", body: "Body", errors: "Errors" };
  const byId = new Map(
    operationsOf(document).map(({ operation }) => [operation.operationId, operation]),
  );
  const pageOf = (id: string) => pages[operationPagePath(language, byId.get(id)!)]!;

  Deno.test(`Every endpoint has a page with its scope and each of its error codes (${language})`, () => {
    for (const { resource, route, title } of apiEndpoints) {
      const page = pageOf(operationId(resource, route));
      assert.ok(page.includes(`\n\`${route.method} ${pathOf(resource, route)}\`\n`), title);
      const { scope } = route.endpoint;
      if (scope) assert.ok(page.includes(`\`${scope}\``), title);
      for (const code of errorCodes(route)) {
        assert.ok(sectionOf(page, headings.errors).includes(`| \`${code}\` |`), `${title}: ${code}`);
      }
    }
  });

  Deno.test(`Every page names each parameter, each field of the body and each status (${language})`, () => {
    for (const { operation } of operationsOf(document)) {
      const { operationId: id, requestBody } = operation;
      const page = pageOf(id);
      for (const { name } of parametersOf(document, operation)) {
        assert.ok(sectionOf(page, headings.parameters).includes(`| \`${name}\` |`), `${id}: ${name}`);
      }
      const example = requestBody?.content["application/json"].example ?? {};
      for (const name of Object.keys(example as object)) {
        assert.ok(sectionOf(page, headings.body).includes(`| \`${name}\` |`), `${id}: ${name}`);
      }
      for (const [status, { description }] of repliesOf(document, operation)) {
        assert.ok(page.includes(status === "2XX" ? description : status), `${id}: ${status}`);
      }
      assert.doesNotMatch(page, /undefined|\[object Object\]/, id);
    }
  });
}

Deno.test("A page lists the fields of nested objects, and every form of the items of a list", () => {
  const page = written[1]!.pages["en/reference/contacts/batch.md"]!;
  const rows = sectionOf(page, "Body");
  assert.match(rows, /^\| `items\[\]\.op` \| `create` \\\| `update` \\\| `get` \\\| `upsert` \| yes \|/m);
  assert.match(rows, /^\| `items\[\]\.id` \| string \(uuid\) \| no \|/m);
  assert.match(rows, /^\| `items\[\]\.data\.name` \| string \| no \|/m);
  const company = written[1]!.pages["en/reference/companies/create.md"]!;
  assert.match(sectionOf(company, "Body"), /^\| `address\.city` \| string \\\| null \| no \|/m);
});

Deno.test("Both languages have the same pages with the same curls", () => {
  const [pt, en] = written.map(({ pages }) => pages);
  assert.deepEqual(Object.keys(en!), Object.keys(pt!).map((path) => `en/${path}`));
  for (const [path, page] of Object.entries(pt!)) assert.equal(curlIn(page), curlIn(en![`en/${path}`]!));
});

interface Runner {
  /** The programs that it needs besides Deno. */
  needs: string[];
  program: string;
  /** The sample is appended to the last argument. */
  args: string[];
}

const RUNNERS: Record<string, Runner> = {
  curl: {
    needs: ["sh", "curl"],
    program: "sh",
    args: ["-c", 'curl() { command curl --silent --show-error --fail-with-body "$@"; }\n'],
  },
  "TypeScript (SDK)": { needs: [], program: Deno.execPath(), args: ["eval", "--no-check", ""] },
  Python: { needs: ["python3"], program: "python3", args: ["-c", ""] },
  PHP: { needs: ["php"], program: "php", args: ["-r", ""] },
};

for (const [title, { needs, program, args }] of Object.entries(RUNNERS)) {
  Deno.test(needing(needs, {
    name: `The samples in ${title} work as pasted, with the variables that they name`,
    async fn(t) {
      await using sql = openDatabase();
      const { workspace, deal } = await makeWorkspaceWithDeal(sql);
      const { link } = await makeProposal(sql, deal.id);
      const ids: Record<string, string> = { deals: deal.id, contacts: deal.contactId };
      const { document } = written[0]!;
      for (const listed of operationsOf(document)) {
        const { method, path, operation: { operationId: id, tags: [tag] } } = listed;
        const isReachable = !path?.includes("{id}") || ids[tag!] !== undefined;
        if (method === "GET" ? !isReachable : !SENT.includes(id)) continue;
        // A program takes half a second to start, so each language except curl runs only some calls of every form.
        if (title !== "curl" && !RUN_IN_ALL.includes(id)) continue;
        await t.step(id, async () => {
          const call = exampleCall(document, listed)!;
          const code = title === "curl"
            ? curlOf(call)
            : samplesOf(id, call).find((sample) => sample.title === title)!.code;
          const env = {
            CRM_URL: baseUrl,
            CRM_KEY: workspace.key,
            ID: ids[tag!] ?? "",
            DEAL_ID: deal.id,
            TOKEN: tokenOf(link),
          };
          const command = [...args.slice(0, -1), args.at(-1) + runnable(code)];
          const { stdout: reply } = await run(program, command, { env });
          if (title === "curl") assert.equal(typeof JSON.parse(reply), "object");
          assert.doesNotMatch(reply, /"error":|Warning/);
          // A list may be empty, so only these two replies must contain an id.
          if (id === "leads.create") assert.match(reply, /deal_id/);
          if (id === "deals.get") assert.match(reply, new RegExp(deal.id));
        });
      }
    },
  }));
}

/** Calls that write, and whose samples need no ids. */
const SENT = [
  "leads.create",
  ...["companies", "contacts", "deals"].flatMap((name) => [`${name}.create`, `${name}.upsert`]),
];

/** Calls without parameters, with an id, with a query and with a body. */
const RUN_IN_ALL = [
  "leads.create",
  "deals.get",
  "deals.list",
  "notes.list",
  "me.get",
  "proposals.get",
  "search.list",
];

/** The sample with the SDK of this tree, and without `<?php`, which `php -r` does not accept. */
function runnable(code: string): string {
  return code.replace("@crm-api/sdk", SDK).replace(/^<\?php\n/, "");
}

function curlIn(page: string): string | undefined {
  return /```sh\n(.*?)\n```/s.exec(page)?.[1];
}
