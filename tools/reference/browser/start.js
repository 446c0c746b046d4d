// Shows the document with Scalar. A file of its own, because the policy of the page allows no script within it.
const configuration = JSON.parse(document.getElementById("configuration").textContent);
const response = await fetch(configuration.url);
const content = await response.json();
leaveOutOptional(content);
globalThis.Scalar.createApiReference("#reference", { ...configuration, url: undefined, content });

// The other language opens at the operation that is being read: both have the same addresses.
for (const link of document.querySelectorAll("a[hreflang]")) {
  const { pathname } = new URL(link.href);
  link.addEventListener("click", () => link.href = pathname + location.hash);
}

/**
 * Scalar sends every parameter that has an example. The Idempotency-Key of an example would make the second lead the first
 * one again, so what is optional is left for the reader to switch on.
 */
function leaveOutOptional({ paths, components }) {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const parameters = [
    ...Object.values(components.parameters),
    ...operations.flatMap(({ parameters = [] }) => parameters),
  ];
  for (const parameter of parameters) {
    if (parameter.required || parameter.example === undefined) continue;
    parameter.examples = { example: { value: parameter.example, "x-disabled": true } };
    delete parameter.example;
  }
}
