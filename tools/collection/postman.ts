// Writes the collection for Postman, in its format v2.1.
import { ENTERED, type Folder, type Step } from "./steps.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

export interface CollectionInfo {
  name: string;
  description: string;
  /** The address of the API: the initial value of `base_url`. */
  baseUrl: string;
}

/** Writes the collection. Each request tests its status and stores the ids that later requests use. */
export function postmanCollection(
  { name, description, baseUrl }: CollectionInfo,
  folders: Folder[],
): unknown {
  return {
    info: { name, description, schema: SCHEMA },
    auth: {
      type: "apikey",
      apikey: [
        { key: "key", value: "X-API-Key", type: "string" },
        { key: "value", value: "{{api_key}}", type: "string" },
        { key: "in", value: "header", type: "string" },
      ],
    },
    variable: Object.entries({ base_url: baseUrl, ...ENTERED }).map(([key, value]) => ({ key, value })),
    event: [
      script("prerequest", [
        'pm.collectionVariables.set("yesterday", new Date(Date.now() - 86400000).toISOString());',
      ]),
    ],
    item: folders.map((folder) => ({
      name: folder.name,
      description: folder.description,
      item: folder.steps.map(request),
    })),
  };
}

function request(step: Step): unknown {
  const { title, description, method, path, query, needsKey, body } = step;
  const search = query.map(({ name, value }) => `${name}=${value}`).join("&");
  return {
    name: title,
    event: [...before(step), after(step)],
    request: {
      method,
      description,
      ...(!needsKey && { auth: { type: "noauth" } }),
      header: body === undefined ? [] : [{ key: "Content-Type", value: "application/json" }],
      ...(body !== undefined && {
        body: {
          mode: "raw",
          raw: JSON.stringify(body, null, 2),
          options: { raw: { language: "json" } },
        },
      }),
      url: {
        raw: `{{base_url}}${path}${search && `?${search}`}`,
        host: ["{{base_url}}"],
        path: path.slice(1).split("/"),
        ...(query.length > 0 && { query: query.map(({ name, value }) => ({ key: name, value })) }),
      },
    },
  };
}

function before({ needs }: Step): unknown[] {
  return needs.length === 0 ? [] : [
    script(
      "prerequest",
      needs.map((name) => `if (!pm.variables.get("${name}")) pm.execution.skipRequest();`),
    ),
  ];
}

function after({ statuses, captures }: Step): unknown {
  const title = `Status ${statuses.join(" / ")}`;
  return script("test", [
    `pm.test("${title}", () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(", ")}]));`,
    ...captures.map(({ variable, path }) =>
      `pm.collectionVariables.set("${variable}", pm.response.json().${path});`
    ),
  ]);
}

function script(listen: string, exec: string[]): unknown {
  return { listen, script: { type: "text/javascript", exec } };
}
