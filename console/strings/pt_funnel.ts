/** Texts of the page Funil. `en_funnel.ts` has the same keys. */
export const ptFunnel = {
  "funnel.title": "Funil",
  "funnel.text": "Negócios por etapa. Um lead que chega pela API aparece aqui em segundos.",
  "funnel.pipeline": "Pipeline",
  "funnel.board": "Etapas do pipeline {name}",
  "funnel.count.one": "{n} negócio",
  "funnel.count.many": "{n} negócios",
  "funnel.count_partial": "mais de {n} negócios",
  "funnel.sum_partial": "{sum} nos {n} mais novos",
  "funnel.no_value": "sem valor",
  "funnel.no_owner": "sem responsável",
  "funnel.closed_days": "últimos 30 dias",
  "funnel.hidden": "e mais {n}",
  "funnel.empty_stage": "Nenhum negócio",
  "funnel.empty": "Nenhum negócio ainda. Um lead do seu site aparece aqui assim que chega.",
  "funnel.empty_keys": "Ver as chaves de API",
  "funnel.no_pipeline": "Nenhum pipeline ativo nesta empresa.",
  "funnel.fresh": "Atualiza sozinho",
  "funnel.away": "Sem conexão; mostrando o que havia às {time}. Volta sozinho.",
  "funnel.slow":
    "O servidor está ocupado; mostrando o que havia às {time}. Próxima tentativa em {seconds} s.",
  "funnel.arrived": "{title} chegou em {stage}",
} as const;
