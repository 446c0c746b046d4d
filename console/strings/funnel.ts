export const funnel = {
  "funnel.title": ["Funil", "Funnel"],
  "funnel.text": [
    "Negócios por etapa. Um lead que chega pela API aparece aqui em segundos.",
    "Deals by stage. A lead that arrives by the API appears here within seconds.",
  ],
  "funnel.pipeline": ["Pipeline", "Pipeline"],
  "funnel.board": ["Etapas do pipeline {name}", "Stages of the pipeline {name}"],
  "funnel.count.one": ["{n} negócio", "{n} deal"],
  "funnel.count.many": ["{n} negócios", "{n} deals"],
  "funnel.count_partial": ["mais de {n} negócios", "more than {n} deals"],
  "funnel.sum_partial": ["{sum} nos {n} mais novos", "{sum} in the newest {n}"],
  "funnel.no_value": ["sem valor", "no value"],
  "funnel.no_owner": ["sem responsável", "no owner"],
  "funnel.closed_days": ["30 dias", "30 days"],
  "funnel.hidden": ["e mais {n}", "and {n} more"],
  "funnel.empty_stage": ["Nenhum negócio", "No deals"],
  "funnel.empty": [
    "Nenhum negócio ainda. Um lead do seu site aparece aqui assim que chega.",
    "No deals yet. A lead from your site appears here as soon as it arrives.",
  ],
  "funnel.empty_keys": ["Ver as chaves de API", "See the API keys"],
  "funnel.no_pipeline": ["Nenhum pipeline ativo nesta empresa.", "This company has no active pipeline."],
  "funnel.fresh": ["Atualiza sozinho", "Refreshes by itself"],
  "funnel.away": [
    "Sem conexão; mostrando o que havia às {time}. Volta sozinho.",
    "No connection; showing what there was at {time}. It comes back by itself.",
  ],
  "funnel.slow": [
    "O servidor está ocupado; mostrando o que havia às {time}. Próxima tentativa em {seconds} s.",
    "The server is busy; showing what there was at {time}. Next try in {seconds} s.",
  ],
  "funnel.arrived": ["{title} chegou em {stage}", "{title} arrived in {stage}"],
} as const;
