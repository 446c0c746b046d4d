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

function printFirstCall({ base_url, demo_key, console_url, demo_email, demo_password }: Stack): void {
  const signIn = demo_email === null
    ? "sign in through the Supabase project of the database"
    : `sign in as ${demo_email} with ${demo_password}`;
  console.log(`API ready at ${base_url}

Demo key: ${demo_key}

Send a lead:

curl -i -X POST ${base_url}/api-v1-leads \\
  -H 'X-API-Key: ${demo_key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"first_name": "Ana", "last_name": "Souza", "email": "ana@exemplo.com.br", "company_name": "Padaria Sol"}'

Reference, with try-it: ${console_url}/docs/

Console: ${console_url}/
  ${signIn}

Ctrl-C stops everything.`);
}
