import { doc } from "../_shared/contract/doc.ts";
import { endpoint, resource } from "../_shared/contract/endpoint.ts";
import { PipelineList } from "./record.ts";

export const pipelines = resource("api-v1-pipelines", {
  "GET /": endpoint({
    summary: doc("Lista os pipelines ativos com as suas etapas", "List active pipelines with their stages"),
    scope: "pipelines:read",
    reply: PipelineList,
    verb: "pipeline_list",
  }),
}, doc("Os funis de vendas", "The sales funnels"));
