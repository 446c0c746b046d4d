// How the doctor reads the platform's answer for a function that is missing, does not start, or is behind the JWT check
// (https://supabase.com/docs/guides/functions/error-codes). startPlatform imitates the platform.
import assert from "node:assert/strict";
import { functions, health, sessions } from "../../run/deployment/doctor/checks/functions.ts";
import { consoleOrigin, signIn } from "../../run/deployment/doctor/checks/sign_in.ts";
import type { Check, Finding } from "../../run/deployment/doctor/check.ts";
import { functionNames } from "../../run/local/function_names.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";
import { look } from "./doctor.ts";

/** Answers for some functions as the platform would; forwards other requests to the stack. */
function startPlatform(answers: Record<string, () => Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    const name = pathname.split("/").at(-1)!;
    const { method, headers } = request;
    return answers[name]?.() ?? fetch(new URL(pathname, baseUrl), { method, headers });
  });
  return {
    functionsUrl: `http://127.0.0.1:${server.addr.port}/functions/v1`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

async function diagnose(functionsUrl: string, checks: Check[], appOrigin: string | null = null) {
  await using sql = openDatabase();
  // Deletes deliveries of other tests, which stay due because nobody can read their secrets.
  await sql`delete from crm.webhook_queue where due_at < now() - interval '30 seconds'`;
  return await look(checks, { sql, functionsUrl, appOrigin });
}

async function findingsAt(functionsUrl: string): Promise<Finding[]> {
  return (await diagnose(functionsUrl, [functions, health])).checks.flatMap(({ findings }) => findings);
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) => () =>
  Response.json(body, { status, headers });

Deno.test("The doctor diagnoses a function from the platform's reply", async () => {
  const cases: [name: string, answer: () => Response, message: RegExp, remedy: RegExp][] = [
    [
      "api-v1-leads",
      json(404, { code: "NOT_FOUND", message: "Requested function was not found" }),
      /^api-v1-leads is not deployed \(404 NOT_FOUND\)$/,
      /deno task/,
    ],
    [
      "webhook-dispatcher",
      json(401, { code: "UNAUTHORIZED_NO_AUTH_HEADER", message: "Missing authorization header" }),
      /^webhook-dispatcher was deployed with Supabase's JWT check on \(401 UNAUTHORIZED_NO_AUTH_HEADER\)/,
      /deno task/,
    ],
    // The older form of the platform's reply, without an error code.
    [
      "api-v1-deals",
      json(401, { code: 401, message: "Missing authorization header" }),
      /JWT check on \(401\)/,
      /deno task/,
    ],
    [
      "api-v1-notes",
      json(503, { code: "BOOT_ERROR", message: "Function failed to start (please check logs)" }),
      /^api-v1-notes does not start \(503 BOOT_ERROR\)$/,
      /log/,
    ],
    [
      "proposals",
      json(546, { message: "Function failed due to not having enough compute resources" }, {
        "sb-error-code": "WORKER_LIMIT",
      }),
      /^proposals ran out of memory or CPU \(546 WORKER_LIMIT\)$/,
      /log/,
    ],
    [
      "api-v1-contacts",
      json(500, { error: { code: "internal_error", message: "Erro interno" } }),
      /^api-v1-contacts answers 500 internal_error in place of 401 missing_api_key$/,
      /log/,
    ],
    [
      "api-v1-owners",
      () => new Response("<p>Hello</p>"),
      /^api-v1-owners answers 200, which is not a reply/,
      /log/,
    ],
  ];
  await using platform = startPlatform(Object.fromEntries(cases.map(([name, answer]) => [name, answer])));
  const found = await findingsAt(platform.functionsUrl);
  assert.equal(found.length, cases.length, JSON.stringify(found));
  for (const [name, , message, remedy] of cases) {
    const finding = found.find((finding) => finding.message.startsWith(name));
    assert.match(finding!.message, message);
    assert.match(JSON.stringify(finding!.remedy), remedy);
  }
});

Deno.test("The doctor reports what the health check says about webhooks, the database and errors", async () => {
  const up = { status: "ok", version: "1", database: { status: "up" } };
  const cases: [status: number, reply: unknown, finding: string][] = [
    [
      200,
      { ...up, webhooks: "degraded" },
      "The health check says that webhooks are degraded: a delivery has been due for over a minute",
    ],
    [
      503,
      { status: "unavailable", database: { status: "down" } },
      "The functions do not reach their database",
    ],
    [
      500,
      { error: { code: "internal_error", message: "Erro interno" } },
      "api-v1-health answers 500 internal_error in place of 200",
    ],
  ];
  for (const [status, reply, finding] of cases) {
    await using platform = startPlatform({ "api-v1-health": json(status, reply) });
    assert.deepEqual((await findingsAt(platform.functionsUrl)).map(({ message }) => message), [finding]);
  }
});

Deno.test("The doctor has one finding for a wrong --url, and skips the checks that depend on it", async () => {
  await using platform = startPlatform({});
  await using empty = startPlatform(
    Object.fromEntries(
      (await functionNames()).map((name) => [name, json(404, { code: "NOT_FOUND", message: "Not found" })]),
    ),
  );
  const cases: [url: string, message: RegExp, remedy: RegExp][] = [
    ["http://127.0.0.1:9/functions/v1", /^Each of the \d+ functions cannot be reached: /, /Correct --url/],
    [new URL(baseUrl).origin, /^No function is at http.*: each answers 404$/, /Correct --url/],
    [empty.functionsUrl, /^Each of the \d+ functions is not deployed \(404 NOT_FOUND\)$/, /deno task start/],
  ];
  for (const [url, message, remedy] of cases) {
    const { checks } = await diagnose(url, [functions, health, sessions]);
    assert.deepEqual(checks.map(({ state }) => state), ["wrong", "skipped", "skipped"], url);
    const [finding, ...others] = checks.flatMap(({ findings }) => findings);
    assert.deepEqual(others, []);
    assert.match(finding!.message, message);
    assert.match(JSON.stringify(finding!.remedy), remedy);
  }
  assert.deepEqual(await findingsAt(platform.functionsUrl), []);
});

Deno.test("The doctor checks that the functions admit the console's origin", async () => {
  const { origin } = new URL(baseUrl);
  const lookFor = async (appOrigin: string | null, functionsUrl = baseUrl) => {
    const { checks: [check] } = await diagnose(functionsUrl, [consoleOrigin], appOrigin);
    return [check!.state, ...check!.findings.map(({ message }) => message)];
  };
  assert.deepEqual(await lookFor(origin), ["ok"]);
  assert.deepEqual(await lookFor(`${origin}/crm`), ["ok"], "a folder of the origin");
  const wrong: [appOrigin: string | null, finding: string][] = [
    [null, "APP_ORIGIN is not set, so proposal links lead nowhere and nobody can sign in"],
    ["http://console.example", "APP_ORIGIN is not https, so sessions would travel in clear text"],
    [
      "https://other.example/crm",
      "The functions do not allow requests from pages of https://other.example (CORS)",
    ],
  ];
  for (const [appOrigin, finding] of wrong) assert.deepEqual(await lookFor(appOrigin), ["wrong", finding]);
  await using platform = startPlatform({ "app-v1-workspace": json(404, { code: "NOT_FOUND" }) });
  assert.deepEqual(await lookFor(origin, platform.functionsUrl), ["skipped"]);
});

Deno.test("The doctor checks that the functions can verify tokens without asking Supabase Auth", async () => {
  const lookAt = async (answer?: () => Response) => {
    await using platform = startPlatform(answer ? { "jwks.json": answer } : {});
    const { checks: [check] } = await diagnose(platform.functionsUrl, [signIn]);
    return [check!.state, ...check!.findings.map(({ message }) => message)];
  };
  assert.deepEqual(await lookAt(), ["ok"]);
  assert.deepEqual(await lookAt(json(200, { keys: [{ kty: "RSA", alg: "RS256" }] })), ["ok"]);
  for (const keys of [[], [{ kty: "oct", alg: "HS256" }]]) {
    assert.deepEqual(await lookAt(json(200, { keys })), [
      "wrong",
      "Supabase Auth signs tokens with a shared secret, so each call of the console also asks Supabase Auth",
    ]);
  }
  for (const answer of [json(503, { message: "unavailable" }), () => new Response("<p>Hello</p>")]) {
    assert.match(
      (await lookAt(answer))[1]!,
      /^The keys that verify tokens cannot be read at .*: it answers (503|200)$/,
    );
  }
});
