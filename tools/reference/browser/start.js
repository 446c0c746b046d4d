// Shows the document with Scalar. The code is in its own file, because the page's Content-Security-Policy forbids
// inline scripts.
const configuration = JSON.parse(document.getElementById("configuration").textContent);
const response = await fetch(configuration.url);
const content = await response.json();
leaveOutOptional(content);
globalThis.Scalar.createApiReference("#reference", { ...configuration, url: undefined, content });

// The link to the other language opens the same operation, because the fragments are the same in both languages.
for (const link of document.querySelectorAll("a[hreflang]")) {
  const { pathname } = new URL(link.href);
  link.addEventListener("click", () => link.href = pathname + location.hash);
}

/**
 * Switches optional parameters off until the reader switches them on. Otherwise samples and calls would have every
 * parameter for which Scalar finds a value: its example, its default, or the first value that its schema allows. With
 * the example's Idempotency-Key a second lead would get the reply to the first, and with `dry_run=true` an upsert would
 * write nothing.
 */
function leaveOutOptional({ paths, components }) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const parameters = [
    ...Object.values(components.parameters),
    ...operations.flatMap(({ parameters = [] }) => parameters),
  ];
  for (const parameter of parameters) {
    if (parameter.$ref || parameter.required) continue;
    parameter.examples = { example: { value: parameter.example, "x-disabled": true } };
    delete parameter.example;
  }
}
