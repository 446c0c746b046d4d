// Writes crm.http, in the format of VS Code's extension REST Client.
import { ENTERED, type Folder, type Step } from "./steps.ts";

/** Writes the file. Requests take ids from the replies to earlier requests, so send them from top to bottom. */
export function httpFile(baseUrl: string, folders: Folder[]): string {
  const variables = Object.entries({ base_url: baseUrl, ...ENTERED }).map(([name, value]) =>
    `@${name} = ${value}`.trimEnd()
  );
  return [
    "# Escrito por `deno task collection`. Informe api_key e envie de cima para baixo: os ids vêm das respostas.",
    [...variables, "@yesterday = {{$datetime iso8601 -1 d}}"].join("\n"),
    ...folders.flatMap((
      { name, description, steps },
    ) => [`###\n# ${name}: ${description}`, ...steps.map(request)]),
  ].join("\n\n") + "\n";
}

function request(step: Step): string {
  const { operationId, title, method, path, query, needsKey, body, captures, needs } = step;
  const name = operationId.replaceAll(".", "_");
  const search = query.map((parameter) => `${parameter.name}=${parameter.value}`).join("&");
  const head = [
    `### ${title}`,
    ...(needs.length > 0 ? [`# Precisa de ${needs.join(", ")}.`] : []),
    `# @name ${name}`,
    `${method} {{base_url}}${path}${search && `?${search}`}`,
    ...(needsKey ? ["X-API-Key: {{api_key}}"] : []),
    ...(body === undefined ? [] : ["Content-Type: application/json", "", JSON.stringify(body, null, 2)]),
  ];
  const kept = captures.map(({ variable, path }) => `@${variable} = {{${name}.response.body.$.${path}}}`);
  // A line that begins with ### ends the body of a request.
  return [head.join("\n"), ...(kept.length > 0 ? [`###\n${kept.join("\n")}`] : [])].join("\n\n");
}
