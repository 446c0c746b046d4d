import { readSettings } from "./settings.ts";
import { type Stack, startStack } from "./stack.ts";
import { firstLine, StackError } from "./stack_error.ts";

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, () => stopping.abort());
}

// An unhandled rejection in one function must not stop the others.
globalThis.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  console.error(`A function did not handle a rejected promise: ${firstLine(event.reason)}`);
});

try {
  const stack = await startStack(readSettings(), stopping.signal);
  printFirstCall(stack);
  await new Promise((resolve) => {
    if (stopping.signal.aborted) resolve(null);
    stopping.signal.addEventListener("abort", resolve, { once: true });
  });
  await stack.stop();
} catch (error) {
  if (error !== stopping.signal.reason) {
    console.error(
      error instanceof StackError ? error.message : `The stack failed: ${firstLine(error)}`,
    );
    Deno.exit(1);
  }
}
// The functions' open connections would keep the process alive.
Deno.exit(0);

function printFirstCall({ baseUrl, demoKey, consoleUrl, demoLogin }: Stack): void {
  const signIn = demoLogin
    ? `sign in as ${demoLogin.email} with ${demoLogin.password}`
    : "sign in through the Supabase project of the database";
  console.log(`API ready at ${baseUrl}

Demo key: ${demoKey}

Send a lead:

curl -i -X POST ${baseUrl}/api-v1-leads \\
  -H 'X-API-Key: ${demoKey}' \\
  -H 'Content-Type: application/json' \\
  -d '{"first_name": "Ana", "last_name": "Souza", "email": "ana@exemplo.com.br", "company_name": "Padaria Sol"}'

Reference, with try-it: ${consoleUrl}/docs/

Console: ${consoleUrl}/
  ${signIn}

Ctrl-C stops everything.`);
}
