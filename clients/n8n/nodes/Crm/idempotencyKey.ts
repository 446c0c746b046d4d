import { createHash } from "node:crypto";
import type { IExecuteSingleFunctions, IHttpRequestOptions } from "n8n-workflow";

/**
 * Adds an `Idempotency-Key` to a POST. When n8n retries the POST ("Retry On Fail"), the key is the same, so that no
 * record is created twice. The key differs for each execution, run of the node, item, address and body.
 */
export async function addIdempotencyKey(
  this: IExecuteSingleFunctions,
  request: IHttpRequestOptions,
): Promise<IHttpRequestOptions> {
  if (request.method !== "POST") return request;
  const item = this.getItemIndex();
  const turn = this.getWorkflowDataProxy(item).$runIndex;
  const call = [this.getExecutionId(), this.getNode().id, turn, item, request.url, request.body];
  const key = createHash("sha256").update(JSON.stringify(call)).digest("hex");
  return { ...request, headers: { ...request.headers, "Idempotency-Key": key } };
}
