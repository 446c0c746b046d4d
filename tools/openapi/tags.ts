/** The name of a group of operations in Portuguese and English. */
interface TagTitle {
  "x-displayName": string;
  "x-displayName_en": string;
}

const title = (portuguese: string, english: string): TagTitle => ({
  "x-displayName": portuguese,
  "x-displayName_en": english,
});

/** The tags of the API's document, in the order in which an integrator needs them. */
export const TAGS: Readonly<Record<string, TagTitle>> = {
  leads: title("Leads", "Leads"),
  deals: title("Negócios", "Deals"),
  contacts: title("Contatos", "Contacts"),
  companies: title("Empresas", "Companies"),
  activities: title("Atividades", "Activities"),
  notes: title("Anotações", "Notes"),
  pipelines: title("Pipelines", "Pipelines"),
  workspace: title("Empresa da chave", "Workspace"),
  custom_fields: title("Campos definidos", "Custom fields"),
  search: title("Busca", "Search"),
  webhooks: title("Webhooks", "Webhooks"),
  deliveries: title("Eventos entregues", "Delivered events"),
  events: title("Eventos em ordem", "Event feed"),
  changes: title("Alterações", "Changes"),
  me: title("Chave da chamada", "The calling key"),
  operations: title("Operações em segundo plano", "Background operations"),
  proposals: title("Propostas", "Proposals"),
  health: title("Estado do serviço", "Health"),
};

/** Gives tags their titles, and the order of {@link TAGS}. */
export function titled<T extends { name: string }>(tags: T[]): (T & Partial<TagTitle>)[] {
  const order = Object.keys(TAGS);
  return tags.map((tag) => ({ ...tag, ...TAGS[tag.name] }))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}
