import assert from "node:assert/strict";
import { join } from "node:path";
import { openGateway } from "../../run/local/gateway.ts";
import { openFolder } from "../support/folder.ts";
import { baseUrl } from "../support/stack.ts";

Deno.test("The gateway answers not_found to a path that names no function", async () => {
  for (const path of ["", "/", "/nothing", "/_shared", "/..%2Flocal", "/API-V1-LEADS"]) {
    const response = await fetch(baseUrl + path);
    assert.deepEqual([response.status, (await response.json()).error.code], [404, "not_found"], path);
  }
  const outside = await fetch(new URL("/api-v1-leads", baseUrl));
  assert.deepEqual([outside.status, (await outside.json()).error.code], [404, "not_found"]);
});

/** Runs a test with a separate gateway that serves these functions; each is given as the text of its index.ts. */
async function withFunctions(
  functions: Record<string, string>,
  body: (baseUrl: string) => Promise<void>,
): Promise<void> {
  await using folder = await openFolder();
  for (const [name, source] of Object.entries(functions)) {
    await Deno.mkdir(join(folder.path, name));
    await Deno.writeTextFile(join(folder.path, name, "index.ts"), source);
  }
  const gateway = openGateway(0);
  try {
    await gateway.openFunctions(folder.path);
    await body(`${gateway.origin}/functions/v1`);
  } finally {
    await gateway.close();
  }
}

Deno.test("A function sees the gateway's own address, a path that begins with its name, the query, the method and the body (spec 1)", async () => {
  const source = `Deno.serve(async (request) => {
    const { origin, pathname, search } = new URL(request.url);
    return new Response([request.method, origin, pathname, search, await request.text()].join(" "));
  });`;
  await withFunctions({ echo: source }, async (baseUrl) => {
    const { origin } = new URL(baseUrl);
    const url = `${baseUrl.replace("127.0.0.1", "localhost")}/echo/a%20b/?c=/functions/v1/d`;
    const response = await fetch(url, { method: "PATCH", body: "body" });
    assert.equal(await response.text(), `PATCH ${origin} /echo/a%20b/ ?c=/functions/v1/d body`);
    assert.equal(await (await fetch(`${baseUrl}/echo?`)).text(), `GET ${origin} /echo  `);
  });
});

Deno.test("The gateway passes a body on while it is written", async () => {
  // The function sends the second half only after another request, so a gateway that buffers would never answer.
  const source = `let finish;
    Deno.serve((request) => {
      if (request.method === "POST") { finish(); return new Response(); }
      return new Response(new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode("first"));
          finish = () => { controller.enqueue(new TextEncoder().encode(" second")); controller.close(); };
        },
      }));
    });`;
  await withFunctions({ stream: source }, async (baseUrl) => {
    const reader = (await fetch(`${baseUrl}/stream`)).body!.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, "first");
    await (await fetch(`${baseUrl}/stream`, { method: "POST" })).body?.cancel();
    assert.equal((await reader.read()).value, " second");
    assert.equal((await reader.read()).done, true);
  });
});

Deno.test("A function that cannot be loaded is 503, one that throws is 500, the others work", async () => {
  const functions = {
    "a-broken": `throw new Error("on purpose");`,
    "b-silent": `export {};`,
    "c-throwing": `Deno.serve(() => { throw new Error("on purpose"); });`,
    "d-whole": `Deno.serve(() => new Response("whole"));`,
    _shared: `throw new Error("not a function");`,
  };
  await withFunctions(functions, async (baseUrl) => {
    const codeOf = async (name: string) => (await (await fetch(`${baseUrl}/${name}`)).json()).error.code;
    assert.equal(await codeOf("a-broken"), "service_unavailable");
    assert.equal(await codeOf("b-silent"), "service_unavailable");
    assert.equal(await codeOf("c-throwing"), "internal_error");
    assert.equal(await codeOf("_shared"), "not_found");
    assert.equal(await (await fetch(`${baseUrl}/d-whole`)).text(), "whole");
  });
});
