// What to do with each event. Replace this with your own work, which must be safe to repeat: if the receiver crashes
// right after the work, the inbox calls `work` again for the same event.

const REAIS = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });

/** Works on one event; may be async. If it throws, it is called again later. */
export function work(delivery) {
  // POST /api-v1-webhooks/<id>/test sent this event. Its data is made up.
  if (delivery.test) return console.log(`Teste recebido: ${delivery.event}`);
  switch (delivery.event) {
    case "deal.won":
      console.log(`Negócio ganho: ${delivery.data.title}, ${REAIS.format(delivery.data.value ?? 0)}`);
      break;
    case "contact.created":
      console.log(`Contato novo: ${delivery.data.name}`);
      break;
    case "contact.erased":
      // Erase the person from your own systems too.
      console.log(`Contato apagado: ${delivery.object_id}`);
      break;
    default:
      console.log(`${delivery.event}: ${delivery.object_id}`);
  }
}
