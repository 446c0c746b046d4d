import { client } from "../support/client.ts";
import { startCuttingProxy } from "../support/cutting_proxy.ts";
import { openExample } from "../support/examples.ts";
import { makeWorkspace, type WorkspaceOptions } from "../support/fixtures.ts";
import { baseUrl, openDatabase } from "../support/stack.ts";

/**
 * Opens an example with the key of a new workspace. The example calls the API through a proxy that can cut connections.
 *
 * @param counted the requests that the proxy counts, as in startCuttingProxy
 * @param variables for the `.env`, besides the address and the key
 */
export async function openBehindProxy(
  name: string,
  counted: string,
  { variables = {}, ...options }: WorkspaceOptions & { variables?: Record<string, string> } = {},
) {
  await using opening = new AsyncDisposableStack();
  const sql = opening.use(openDatabase());
  const workspace = await makeWorkspace(sql, options);
  const proxy = opening.use(startCuttingProxy(baseUrl, counted));
  const access = { CRM_URL: proxy.url, CRM_KEY: workspace.key };
  const example = opening.use(await openExample(name, { ...access, ...variables }));
  const opened = opening.move();
  const close = () => opened.disposeAsync();
  return { sql, workspace, api: client(workspace.key), proxy, example, [Symbol.asyncDispose]: close };
}
