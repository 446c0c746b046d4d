// The commonest tasks of a salesperson, as MCP prompts. A person chooses a prompt in the assistant's menu.
import { RpcError } from "./rpc.ts";
import type { Json } from "../_shared/contract/json.ts";

interface Prompt {
  name: string;
  title: string;
  description: string;
  argument?: { name: string; description: string };
  text: (value: string) => string;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: "prepare_meeting",
    title: "Preparar uma reunião",
    description: "Tudo sobre uma empresa antes de uma reunião",
    argument: { name: "empresa", description: "O nome da empresa" },
    text: (company) =>
      `Prepare-me para uma reunião com "${company}". Ache a empresa com search_list, leia companies_timeline e os ` +
      "negócios em aberto, e resuma em poucas linhas: quem são os contatos, o que já se combinou, quanto vale o que " +
      "está em aberto, e o que convém perguntar.",
  },
  {
    name: "record_meeting",
    title: "Registrar uma reunião",
    description: "Uma anotação, o próximo passo e a nova etapa de um negócio",
    argument: { name: "relato", description: "O que se conversou, e com quem" },
    text: (report) =>
      `Registre esta reunião no CRM: ${report}\nAche o negócio, crie a anotação, a atividade do próximo passo com a ` +
      "data e, se couber, mude a etapa. Antes de gravar, mostre-me o que vai criar e mudar.",
  },
  {
    name: "stalled_deals",
    title: "Negócios parados",
    description: "Os maiores negócios em aberto sem movimento",
    argument: { name: "dias", description: "Há quantos dias estão parados; por exemplo, 30" },
    text: (days) =>
      `Liste os negócios em aberto parados há mais de ${days} dias, do maior ao menor: deals_list com status aberto, ` +
      "inactive_since e sort -value. Mostre valor, etapa, responsável e a última atividade, e sugira o próximo passo de " +
      "cada um.",
  },
  {
    name: "changes_since_yesterday",
    title: "O que mudou desde ontem",
    description: "Negócios novos, movidos e fechados, e o que os outros fizeram",
    text: () =>
      "Conte o que mudou no CRM desde ontem, com changes_summary: negócios novos, que mudaram de etapa, ganhos e " +
      "perdidos, por nome e valor, e o que merece a minha atenção.",
  },
  {
    name: "import_contacts",
    title: "Importar contatos",
    description: "Uma lista de contatos, sem repetir os que já existem",
    argument: { name: "lista", description: "As linhas, com nome, e-mail, telefone e empresa" },
    text: (rows) =>
      `Importe estes contatos: ${rows}\nUse contacts_batch com op upsert e match_by email, ou phone para quem não tem ` +
      "e-mail. Em vez do nome da empresa, ele recebe o company_id: ache-o com search_list. Chame primeiro com dry_run e " +
      "mostre-me quantos seriam criados, alterados e recusados, e que empresas faltam. Só quando eu confirmar, crie as " +
      "empresas com companies_create e grave.",
  },
];

export function listPrompts(): object {
  return {
    prompts: PROMPTS.map(({ name, title, description, argument }) => ({
      name,
      title,
      description,
      ...(argument && { arguments: [{ ...argument, required: true }] }),
    })),
  };
}

export function getPrompt({ name, arguments: args }: Record<string, Json>): object | RpcError {
  const prompt = PROMPTS.find((prompt) => prompt.name === name);
  if (prompt === undefined) {
    return new RpcError("invalidParams", `O prompt ${JSON.stringify(name)} não existe`);
  }
  const { argument, description, text } = prompt;
  const value = argument && (args as Record<string, Json> | undefined)?.[argument.name];
  if (argument && (typeof value !== "string" || value.trim() === "")) {
    return new RpcError(
      "invalidParams",
      `O prompt "${prompt.name}" precisa do argumento "${argument.name}", um texto`,
    );
  }
  return {
    description,
    messages: [{ role: "user", content: { type: "text", text: text(value as string) } }],
  };
}
