/** A stage as far as it matters here. */
interface Stage {
  id: string;
  deals: readonly { id: string }[];
}

/** Where each card was in the reply before. */
export type Places = ReadonlyMap<string, string>;

/** The stage of each card. */
export function placesOf(stages: readonly Stage[]): Places {
  return new Map(stages.flatMap(({ id, deals }) => deals.map((deal) => [deal.id, id] as const)));
}

/**
 * The cards that are new, or on another stage, since the reply before; none at first. A card below those that were
 * there has only taken the place of one that left the first 50, and does not arrive.
 */
export function arrivals(before: Places | null, stages: readonly Stage[]): ReadonlySet<string> {
  const arrived = new Set<string>();
  if (before === null) return arrived;
  for (const { id: stage, deals } of stages) {
    const known = deals.map(({ id }) => before.get(id) === stage);
    const last = known.lastIndexOf(true);
    deals.forEach(({ id }, i) => {
      if (!known[i] && (last === -1 || i < last || before.has(id))) arrived.add(id);
    });
  }
  return arrived;
}
